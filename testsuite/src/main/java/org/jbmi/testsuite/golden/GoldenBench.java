package org.jbmi.testsuite.golden;

import org.jbmi.BmiBuilder;

import java.util.Map;

/** How a replay gets instances of the method that is to be replayed. */
@FunctionalInterface
public interface GoldenBench {
    /**
     * Describes an instance.
     *
     * @param standalone its dialect
     * @param identity the string whose hash stands in its headers; empty for none of its own
     * @param redirects where connections to a port of a recording go instead; looked at when a
     *     connection is made
     * @return a builder; the replay adds the address to listen on
     */
    BmiBuilder builder(boolean standalone, String identity, Map<Integer, Integer> redirects);
}

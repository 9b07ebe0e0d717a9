package org.jbmi.testsuite.cases.common;

import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Medians of times, so that a busy machine that delays a few calls fails no case. */
public final class RoundTrip {
    /** How often a call is measured. */
    public static final int MEASURED = 101;

    private RoundTrip() {}

    /** The time of a small message there and one back. */
    public static long medianNs(Scene scene, Link link) {
        End server = link.server();
        MemorySegment memory = scene.buffer(100);
        return median(
                timesNs(
                        () -> {
                            Posted there = server.receive(memory, 5);
                            Posted.finish(link.client().send(memory, 5), there);
                            Posted back = link.client().receive(memory, 6);
                            Posted.finish(server.send(memory, 6), back);
                        }));
    }

    /** Measures a call, {@link #MEASURED} times. */
    public static long[] timesNs(Runnable call) {
        long[] tookNs = new long[MEASURED];
        for (int i = 0; i < MEASURED; i++) {
            long startNs = System.nanoTime();
            call.run();
            tookNs[i] = System.nanoTime() - startNs;
        }
        return tookNs;
    }

    /** Fails unless half of the times are within a bound. */
    public static void expectShort(String what, long[] tookNs, long boundNs) {
        long medianNs = median(tookNs);
        Expect.that(
                medianNs <= boundNs,
                what + " takes " + medianNs + " ns, more than the bound of " + boundNs + " ns");
    }

    private static long median(long[] tookNs) {
        long[] sorted = tookNs.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}

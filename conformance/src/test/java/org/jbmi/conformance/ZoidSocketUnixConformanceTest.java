package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** The conformance cases, through the gateway of a daemon, on a Unix-domain socket. */
class ZoidSocketUnixConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new ZoidSocketUnixFixture();
    }
}

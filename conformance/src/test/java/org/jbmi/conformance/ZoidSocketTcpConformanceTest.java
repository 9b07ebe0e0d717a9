package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** The conformance cases, through the gateway of a daemon, on TCP. */
class ZoidSocketTcpConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new ZoidSocketTcpFixture();
    }
}

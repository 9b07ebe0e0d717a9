package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** The conformance cases, through a daemon. */
class ZoidDaemonConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new ZoidDaemonFixture();
    }
}

package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** All conformance cases on tcp in the standalone dialect. */
class TcpStandaloneConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new TcpStandaloneFixture();
    }
}

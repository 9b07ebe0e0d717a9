package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** All conformance cases on tcp in the OrangeFS dialect. */
class TcpOrangeFsConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new TcpOrangeFsFixture();
    }
}

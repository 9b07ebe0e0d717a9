package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** All conformance cases on loopback. */
class LoopbackConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new LoopbackFixture();
    }
}

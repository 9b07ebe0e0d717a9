package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** The conformance cases, through a daemon that its server reaches by message queues. */
class ZoidPosixMqConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new ZoidPosixMqFixture();
    }
}

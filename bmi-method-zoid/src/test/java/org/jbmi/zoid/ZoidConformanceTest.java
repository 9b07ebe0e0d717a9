package org.jbmi.zoid;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** The conformance cases, through a daemon. */
class ZoidConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new ZoidFixture();
    }
}

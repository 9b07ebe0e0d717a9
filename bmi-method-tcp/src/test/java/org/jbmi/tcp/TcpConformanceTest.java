package org.jbmi.tcp;

import org.jbmi.tcp.wire.Dialect;
import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** All conformance cases on tcp in the standalone dialect. */
class TcpConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new TcpFixture(Dialect.STANDALONE);
    }
}

package org.jbmi.tcp;

import org.jbmi.tcp.wire.Dialect;
import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;

/** All conformance cases on tcp in the OrangeFS dialect. */
class OrangeFsConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new TcpFixture(Dialect.ORANGEFS);
    }
}

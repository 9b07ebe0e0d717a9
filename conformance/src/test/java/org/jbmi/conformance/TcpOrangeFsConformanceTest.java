package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** All conformance cases on tcp in the OrangeFS dialect. */
@EnabledIfSystemProperty(
        named = "jbmi.long",
        matches = "true",
        disabledReason = "a minute: mvn verify -Plong, or bin/bmi conform tcp")
class TcpOrangeFsConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new TcpOrangeFsFixture();
    }
}

package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The conformance cases, with the commands in Chronicle Queues. */
@EnabledIfSystemProperty(
        named = "jbmi.long",
        matches = "true",
        disabledReason =
                "near to another configuration: mvn verify -Plong, or bin/bmi conform zoid")
class ZoidChronicleConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new ZoidChronicleFixture();
    }
}

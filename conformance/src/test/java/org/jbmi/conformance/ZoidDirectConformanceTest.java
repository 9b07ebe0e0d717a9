package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The conformance cases, with the engine in the server, in memory that a daemon lends. */
@EnabledIfSystemProperty(
        named = "jbmi.long",
        matches = "true",
        disabledReason =
                "near to another configuration: mvn verify -Plong, or bin/bmi conform zoid")
class ZoidDirectConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new ZoidDirectFixture();
    }
}

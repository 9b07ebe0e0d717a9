package org.jbmi.conformance;

import org.jbmi.testsuite.MethodConformanceTest;
import org.jbmi.testsuite.MethodFixture;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The conformance cases, through the gateway of a daemon, on a Unix-domain socket. */
@EnabledIfSystemProperty(
        named = "jbmi.long",
        matches = "true",
        disabledReason = "a minute: mvn verify -Plong, or bin/bmi conform zoid")
class ZoidSocketUnixConformanceTest extends MethodConformanceTest {
    @Override
    protected MethodFixture fixture() {
        return new ZoidSocketUnixFixture();
    }
}

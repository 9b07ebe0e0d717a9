package org.jbmi.testsuite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Under JUnit no case of the catalogue is left out, whatever its group is. */
@Timeout(30)
class AllCasesTest {
    @Test
    void eachCaseIsATest() {
        MethodConformanceTest tests =
                new MethodConformanceTest() {
                    @Override
                    protected MethodFixture fixture() {
                        return new BareFixture();
                    }
                };
        String chosen = System.getProperty("jbmi.cases", "");
        assertThat(tests.conformance())
                .extracting(DynamicTest::getDisplayName)
                .hasSameSizeAs(Catalogue.chosen(chosen));
    }
}

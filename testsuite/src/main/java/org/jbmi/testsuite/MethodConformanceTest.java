package org.jbmi.testsuite;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Isolated;
import org.opentest4j.TestAbortedException;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs all cases on one method under JUnit, each as a dynamic test named by its number. Subclass it
 * in the method's tests and give it a fixture; put exclusions beside the fixture in {@code
 * NAME.exclusions}, where NAME is {@link MethodFixture#fullName}. Without {@code -Djbmi.long=true}
 * some cases do less. The system property {@code jbmi.cases}, for example {@code 62,63}, runs only
 * those.
 */
@Isolated("A case looks for the threads and descriptors that it leaves in this process.")
public abstract class MethodConformanceTest {
    /** For subclasses. */
    protected MethodConformanceTest() {}

    /** {@return the method's fixture} */
    protected abstract MethodFixture fixture();

    /**
     * {@return the letters of the groups whose cases run, or null for all groups, as it is unless a
     * subclass splits them up}
     */
    protected @Nullable String groups() {
        return null;
    }

    @TestFactory
    final List<DynamicTest> conformance() {
        MethodFixture fixture = fixture();
        Exclusions exclusions = Exclusions.of(fixture);
        CaseRunner runner = new CaseRunner(fixture, exclusions, Boolean.getBoolean("jbmi.long"));
        String groups = groups();
        List<DynamicTest> tests = new ArrayList<>();
        for (ConformanceCase one : Catalogue.chosen(System.getProperty("jbmi.cases", ""))) {
            if (groups == null || groups.indexOf(one.group()) >= 0) {
                tests.add(DynamicTest.dynamicTest(name(one), () -> run(runner, one)));
            }
        }
        return tests;
    }

    /** With the ids of the known faults of the C library that the case would show. */
    private static String name(ConformanceCase one) {
        List<String> defects = Defects.shownBy(one);
        return one.displayName() + (defects.isEmpty() ? "" : " " + defects);
    }

    private static void run(CaseRunner runner, ConformanceCase one) {
        CaseResult result = runner.run(one);
        switch (result.outcome()) {
            case PASSED -> {}
            case FAILED -> throw new AssertionError(result.reason(), result.failure());
            case SKIPPED, EXCLUDED -> throw new TestAbortedException(result.reason());
        }
    }
}

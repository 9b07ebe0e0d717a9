package org.jbmi.conformance.planted;

import org.jbmi.testsuite.CaseResult;
import org.jbmi.testsuite.CaseRunner;
import org.jbmi.testsuite.Catalogue;
import org.jbmi.testsuite.ConformanceCase;
import org.jbmi.testsuite.Exclusions;
import org.jbmi.testsuite.Fixtures;
import org.jbmi.testsuite.MethodFixture;

/**
 * Runs one case of the kit. Loaded in an environment in which a fault is planted, so it is called
 * by its name.
 */
public final class PlantedCase {
    private PlantedCase() {}

    /**
     * Runs a case.
     *
     * @param configuration name of the fixture
     * @param caseId number of the case
     * @return why it failed, or null if it passed
     */
    public static String run(String configuration, int caseId) {
        MethodFixture fixture =
                Fixtures.all().stream()
                        .filter(each -> each.fullName().equals(configuration))
                        .findFirst()
                        .orElseThrow();
        ConformanceCase one =
                Catalogue.all().stream()
                        .filter(each -> each.id() == caseId)
                        .findFirst()
                        .orElseThrow();
        return found(new CaseRunner(fixture, Exclusions.none()).run(one));
    }

    /** A class that cannot be linked, since a fault was planted into it, is no find. */
    static String found(CaseResult result) {
        for (Throwable e = result.failure(); e != null; e = e.getCause()) {
            if (e instanceof LinkageError broken) {
                throw broken;
            }
        }
        return switch (result.outcome()) {
            case PASSED -> null;
            case FAILED -> result.reason().lines().findFirst().orElse("");
            case SKIPPED, EXCLUDED -> throw new IllegalStateException(result.toString());
        };
    }
}

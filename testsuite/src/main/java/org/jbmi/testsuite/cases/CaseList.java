package org.jbmi.testsuite.cases;

import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.ConformanceCase;

import java.util.List;
import java.util.Set;

/** Collects the cases of one group. */
final class CaseList {
    private final char group;
    private final List<ConformanceCase> cases;

    CaseList(char group, List<ConformanceCase> cases) {
        this.group = group;
        this.cases = cases;
    }

    /** Adds a case for every method, or for those that can do something. */
    CaseList add(int id, String title, ConformanceCase.Body body, Capability... needs) {
        return add(id, title, ConformanceCase.DEFAULT_SECONDS, body, needs);
    }

    /** Adds a case that takes longer. */
    CaseList add(
            int id, String title, int seconds, ConformanceCase.Body body, Capability... needs) {
        cases.add(new ConformanceCase(id, group, title, Set.of(needs), seconds, body));
        return this;
    }
}

package org.jbmi.testsuite.cases.common;

import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.ConformanceCase;

import java.util.List;
import java.util.Set;

/** Collects the cases of one group. */
public final class CaseList {
    private final char group;
    private final List<ConformanceCase> cases;

    /** Makes a list. */
    public CaseList(char group, List<ConformanceCase> cases) {
        this.group = group;
        this.cases = cases;
    }

    /**
     * Adds a case for every method, or for those that can do something.
     *
     * @param needs what a method must be able to do for it
     */
    public CaseList add(int id, String title, ConformanceCase.Body body, Capability... needs) {
        return add(id, title, ConformanceCase.DEFAULT_SECONDS, body, needs);
    }

    /**
     * Adds a case that takes longer.
     *
     * @param needs what a method must be able to do for it
     */
    public CaseList add(
            int id, String title, int seconds, ConformanceCase.Body body, Capability... needs) {
        cases.add(new ConformanceCase(id, group, title, Set.of(needs), seconds, body));
        return this;
    }
}

package org.jbmi.testsuite;

import org.jbmi.testsuite.cases.CaseGroups;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** All cases; docs/conformance.md lists the same ones. */
public final class Catalogue {
    private Catalogue() {}

    /**
     * All cases.
     *
     * @return the cases, by their numbers
     */
    public static List<ConformanceCase> all() {
        List<ConformanceCase> cases = new ArrayList<>();
        CaseGroups.addTo(cases);
        Set<Integer> ids = new HashSet<>();
        for (ConformanceCase one : cases) {
            if (!ids.add(one.id())) {
                throw new IllegalStateException("Two cases have the number " + one.id() + ".");
            }
        }
        cases.sort(Comparator.comparingInt(ConformanceCase::id));
        return cases;
    }
}

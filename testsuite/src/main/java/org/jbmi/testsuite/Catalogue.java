package org.jbmi.testsuite;

import org.jbmi.testsuite.cases.CaseGroups;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** All cases; docs/conformance.md lists the same ones. */
public final class Catalogue {
    private Catalogue() {}

    /** {@return all cases, by their numbers} */
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

    /**
     * Some cases.
     *
     * @param numbers those of the cases, with commas between them; empty for all cases
     * @return the cases, by their numbers
     * @throws IllegalArgumentException if there is no such case
     */
    public static List<ConformanceCase> chosen(String numbers) {
        if (numbers.isEmpty()) {
            return all();
        }
        Set<Integer> chosen = new HashSet<>();
        for (String number : numbers.split(",", -1)) {
            try {
                chosen.add(Integer.valueOf(number.strip()));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        "jbmi.cases should be numbers of cases with commas between them, not \""
                                + numbers
                                + "\"",
                        e);
            }
        }
        return chosen(chosen);
    }

    /**
     * Some cases.
     *
     * @param numbers those of the cases
     * @return the cases, by their numbers
     * @throws IllegalArgumentException if there is no such case
     */
    public static List<ConformanceCase> chosen(Set<Integer> numbers) {
        List<ConformanceCase> chosen = all();
        chosen.removeIf(one -> !numbers.contains(one.id()));
        Set<Integer> unknown = new TreeSet<>(numbers);
        chosen.forEach(one -> unknown.remove(one.id()));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("There is no case " + unknown.iterator().next());
        }
        return chosen;
    }
}

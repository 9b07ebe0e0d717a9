package org.jbmi.zoid.processor.scan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What is wrong with a header, by line. */
final class Problems {
    /** The most problems to keep. */
    private static final int MAXIMUM = 100;

    private final List<Problem> problems = new ArrayList<>();

    void add(int line, String sentence) {
        Problem problem = new Problem(line, sentence);
        if (problems.size() < MAXIMUM && !problems.contains(problem)) {
            problems.add(problem);
        }
    }

    boolean isEmpty() {
        return problems.isEmpty();
    }

    List<Problem> all() {
        return problems.stream().sorted(Comparator.comparingInt(Problem::line)).toList();
    }
}

package org.jbmi.tools.doctor;

import java.util.ArrayList;
import java.util.List;

/** The findings so far. Not thread-safe. */
final class Diagnosis {
    /** How serious a finding is. */
    enum State {
        GOOD,
        NOTE,
        WRONG
    }

    /**
     * One finding.
     *
     * @param state how serious it is
     * @param subject its subject, in a word or two
     * @param sentence what was found
     * @param advice what to do about it; empty if there is nothing to do
     */
    record Finding(State state, String subject, String sentence, String advice) {}

    private final List<Finding> findings = new ArrayList<>();

    void good(String subject, String sentence) {
        findings.add(new Finding(State.GOOD, subject, sentence, ""));
    }

    void note(String subject, String sentence, String advice) {
        findings.add(new Finding(State.NOTE, subject, sentence, advice));
    }

    void wrong(String subject, String sentence, String advice) {
        findings.add(new Finding(State.WRONG, subject, sentence, advice));
    }

    /** Adds a finding that is wrong if it prevents what the user wants, and a note otherwise. */
    void wrongIf(boolean isInTheWay, String subject, String sentence, String advice) {
        findings.add(new Finding(isInTheWay ? State.WRONG : State.NOTE, subject, sentence, advice));
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }

    long wrong() {
        return findings.stream().filter(f -> f.state() == State.WRONG).count();
    }
}

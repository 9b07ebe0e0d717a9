package org.jbmi.simulator.coverage;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** How often each fault met each state, and how often rare rules were looked at. */
@SuppressWarnings("EnumOrdinal") // a table with a row and a column for each constant
public final class Coverage {
    private final long[][] cells = new long[WorldState.values().length][FaultKind.values().length];
    private final long[] faults = new long[FaultKind.values().length];
    private final long[] rules = new long[Rule.values().length];

    /** An empty count. */
    public Coverage() {}

    /** Counts a fault. */
    public void count(FaultKind fault, EnumSet<WorldState> states) {
        faults[fault.ordinal()]++;
        for (WorldState state : states) {
            cells[state.ordinal()][fault.ordinal()]++;
        }
    }

    /** {@return how often a fault met a state; 0 for a gap} */
    public long count(WorldState state, FaultKind fault) {
        return cells[state.ordinal()][fault.ordinal()];
    }

    /** Counts a rule that something could break. */
    public void count(Rule rule) {
        rules[rule.ordinal()]++;
    }

    /** {@return how many faults happened} */
    public long faults() {
        long sum = 0;
        for (long each : faults) {
            sum += each;
        }
        return sum;
    }

    /** Adds the counts of another run. */
    public void add(Coverage other) {
        for (int i = 0; i < cells.length; i++) {
            for (int j = 0; j < faults.length; j++) {
                cells[i][j] += other.cells[i][j];
            }
        }
        for (int j = 0; j < faults.length; j++) {
            faults[j] += other.faults[j];
        }
        for (int k = 0; k < rules.length; k++) {
            rules[k] += other.rules[k];
        }
    }

    /** Whether a state and a fault exclude each other. */
    static boolean isImpossible(WorldState state, FaultKind fault) {
        return switch (fault) {
            // A server comes after the last one has ended, with all its memory.
            case SERVER_RESTART ->
                    state == WorldState.SERVER_IN_CALL
                            || state == WorldState.SERVER_PENDING
                            || state == WorldState.SERVER_UNSENT
                            || state == WorldState.LENT;
            case DAEMON_RESTART ->
                    switch (state) {
                        case GRANTED,
                                ENGINE_ASLEEP,
                                QUARANTINE,
                                LINK_LOADED,
                                LINK_FULL,
                                GATEWAY_BUSY,
                                GATEWAY_ASLEEP,
                                FRAMES_FULL ->
                                true;
                        default -> false;
                    };
            // The fault needs a server that can crash or hold memory.
            case SERVER_CRASH, NO_MEMORY -> state == WorldState.NO_SERVER;
            default -> false;
        };
    }

    /** {@return the rules that nothing could break} */
    public List<String> idleRules() {
        List<String> idle = new ArrayList<>();
        for (Rule rule : Rule.values()) {
            if (rules[rule.ordinal()] == 0) {
                idle.add("rule: " + rule.label());
            }
        }
        return idle;
    }

    /**
     * {@return the pairs that could have met and never did, as "state x fault", and {@link
     * #idleRules}}
     */
    public List<String> gaps() {
        List<String> gaps = idleRules();
        for (WorldState state : WorldState.values()) {
            for (FaultKind fault : FaultKind.values()) {
                boolean isPlayed = fault != FaultKind.HEAP_FULL || faults[fault.ordinal()] > 0;
                if (isPlayed && count(state, fault) == 0 && !isImpossible(state, fault)) {
                    gaps.add(state.label() + " x " + fault.label());
                }
            }
        }
        return gaps;
    }

    /**
     * {@return the table as lines of text: a row for each state, a column for each fault; "-" for
     * impossible pairs; then a row for each rule}
     */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        StringBuilder head = new StringBuilder("%-15s".formatted(""));
        for (FaultKind fault : FaultKind.values()) {
            head.append("%17s".formatted(fault.label()));
        }
        lines.add(head.toString());
        for (WorldState state : WorldState.values()) {
            StringBuilder line = new StringBuilder("%-15s".formatted(state.label()));
            for (FaultKind fault : FaultKind.values()) {
                long count = count(state, fault);
                boolean isNever = count == 0 && isImpossible(state, fault);
                line.append(isNever ? "%17s".formatted("-") : "%17d".formatted(count));
            }
            lines.add(line.toString());
        }
        for (Rule rule : Rule.values()) {
            lines.add("rule: %-26s%d".formatted(rule.label(), rules[rule.ordinal()]));
        }
        return lines;
    }
}

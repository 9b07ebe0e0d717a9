package org.jbmi.conformance.cost;

import java.util.Map;
import java.util.Set;

/**
 * What a piece of work cost.
 *
 * @param where the methods with instructions that the processor locks, and how many each ran
 * @param clocks reads of a clock
 * @param parks threads that were parked or woken
 * @param types classes of the project that ran, and its interfaces that were called
 * @param unknown calls of the JDK of which it is not known what they cost
 */
public record Cost(
        Map<String, Long> where, long clocks, long parks, Set<String> types, Set<String> unknown) {
    /** How many instructions the processor locked. */
    long locked() {
        return where.values().stream().mapToLong(Long::longValue).sum();
    }

    /** For the table that a test prints. */
    String line() {
        return String.format(
                "locked %d, clock %d, park %d, types %d; %s",
                locked(), clocks, parks, types.size(), where);
    }
}

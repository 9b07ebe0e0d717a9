package org.jbmi.testsuite;

import java.util.Set;

/**
 * One numbered case of the catalogue (docs/conformance.md), as an object: JUnit runs it, and so can
 * any other program.
 *
 * @param id its number, never given to another case
 * @param group the letter of its group
 * @param title what it is about, in a few words
 * @param needs what a method must be able to do for the case to make sense
 * @param seconds the watchdog's patience
 * @param body what is done and checked
 */
public record ConformanceCase(
        int id, char group, String title, Set<Capability> needs, int seconds, Body body) {
    /** Patience for cases that do not ask for another. */
    public static final int DEFAULT_SECONDS = 30;

    /** Copies the set. */
    public ConformanceCase {
        needs = Set.copyOf(needs);
    }

    /** What a case does. */
    @FunctionalInterface
    public interface Body {
        /**
         * Runs in a scene of its own.
         *
         * @param scene makes instances and memory, and tidies up
         * @throws Exception whatever goes wrong; the case fails then
         */
        void run(Scene scene) throws Exception;
    }

    /**
     * How the case is called in reports.
     *
     * @return number and title
     */
    public String displayName() {
        return id + " " + title;
    }
}

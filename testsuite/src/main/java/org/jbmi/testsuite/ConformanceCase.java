package org.jbmi.testsuite;

import java.util.Set;

/**
 * One numbered case of the catalogue (docs/conformance.md), as an object: JUnit runs it, and so can
 * any other program.
 *
 * @param id its number, never given to another case
 * @param group the letter of its group
 * @param title its subject in a few words
 * @param needs the capabilities that the case needs
 * @param seconds the watchdog's time
 * @param body the steps and checks
 */
public record ConformanceCase(
        int id, char group, String title, Set<Capability> needs, int seconds, Body body) {
    /** The watchdog's time for cases without one of their own. */
    public static final int DEFAULT_SECONDS = 30;

    /** Copies the set. */
    public ConformanceCase {
        needs = Set.copyOf(needs);
    }

    /** The steps and checks of a case. */
    @FunctionalInterface
    public interface Body {
        /**
         * Runs in a scene of its own.
         *
         * @param scene makes instances and memory, and tidies up
         * @throws Exception any exception fails the case
         */
        void run(Scene scene) throws Exception;
    }

    /** {@return how the case is called in reports, with its number and title} */
    public String displayName() {
        return id + " " + title;
    }
}

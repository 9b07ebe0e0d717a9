package org.jbmi.spi;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;

import java.util.List;
import java.util.Locale;

/**
 * How a thread waits for something that another thread or process does: for how long it looks again
 * and again before it sleeps, and what it does between two looks.
 *
 * <p>The adaptive one learns from its own success. Looking costs a processor that somebody else may
 * need, the peer that is waited for above all; so after a few waits in which it found nothing it
 * sleeps at once, and looks only in every {@value #PROBE}th wait, to see whether it pays again. One
 * success is enough to go back to it.
 *
 * <p>One object for each place that waits, shared by its threads: what is lost when two of them
 * learn at a time is a guess. Allocates nothing.
 */
public final class WaitPolicy {
    /** How a waiting thread spends its time. */
    public static final Knob<String> MODE =
            Knob.choice(
                    "bmi.wait",
                    List.of("adaptive", "spin", "yield", "block"),
                    "How a thread waits: adaptive looks for a moment where that has paid and then"
                        + " sleeps, spin never sleeps and yields at every 1024th look, yield"
                        + " neither but lets others run, block sleeps at once. With one processor"
                        + " spin yields, and adaptive sleeps; pinned to one of several, both yield"
                        + " now and then while they look.");

    /** How long an adaptive waiter may look. */
    public static final Knob<Long> SPIN_NS =
            Knob.number(
                    "bmi.spinNs",
                    "ns",
                    10_000,
                    0,
                    1_000_000,
                    "How long an adaptive waiter looks before it sleeps, where that pays; 0"
                            + " never.");

    /**
     * Looks of a pinned process between two yields: some microseconds, which is little beside what
     * somebody loses who has to wait for its time slice on the same processor.
     */
    private static final int PINNED_LOOKS = 32;

    /**
     * Looks of one that spins between two yields. What else runs in this process, its compilers
     * above all, must not wait for the end of a time slice; and a yield that finds nobody costs
     * less than a thousandth of the looks before it.
     */
    private static final int SPIN_LOOKS = 1024;

    private static final int NEVER = 1 << 31;
    private static final int TRUST = 8;
    private static final int PROBE = 16;

    /** What a waiter does. */
    public enum Mode {
        /** Looks for a moment if that has paid, then sleeps. */
        ADAPTIVE,
        /** Looks until there is something. */
        SPIN,
        /** The same, and lets others run between two looks. */
        YIELD,
        /** Sleeps at once. */
        BLOCK;

        /**
         * The mode of a knob's value.
         *
         * @param text one of the choices of {@link #MODE}
         * @return the mode
         */
        public static Mode of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    private final Mode mode;
    private final long lookNs;
    private final int looksAYield;
    private int trust = TRUST;
    private int sleeps;
    private int looks;

    private WaitPolicy(Mode mode, long lookNs, int looksAYield) {
        this.mode = mode;
        this.lookNs = lookNs;
        this.looksAYield = looksAYield;
    }

    /**
     * The policy of an instance's knobs.
     *
     * @param knobs with {@link #MODE} and {@link #SPIN_NS}
     * @return a policy that has learnt nothing yet
     */
    public static WaitPolicy of(Configuration knobs) {
        return of(Mode.of(knobs.get(MODE)), knobs.get(SPIN_NS));
    }

    /**
     * A policy for the processors that this process may use.
     *
     * @param mode what was asked for
     * @param spinNs how long an adaptive waiter may look, in nanoseconds
     * @return a policy that has learnt nothing yet
     */
    public static WaitPolicy of(Mode mode, long spinNs) {
        int processors = Runtime.getRuntime().availableProcessors();
        return of(mode, spinNs, processors, processors == 1 && Processors.isPinned());
    }

    /**
     * A policy for a number of processors. With one of them nobody spins: what is waited for could
     * not happen. One who is pinned to one of several spins, since the others may be at it, and
     * yields now and then, since they may not.
     *
     * @param mode what was asked for
     * @param spinNs how long an adaptive waiter may look, in nanoseconds
     * @param processors how many this process may use
     * @param isPinned whether the machine has more of them
     * @return a policy that has learnt nothing yet
     */
    static WaitPolicy of(Mode mode, long spinNs, int processors, boolean isPinned) {
        boolean isAlone = processors <= 1 && !isPinned;
        return switch (mode) {
            case SPIN ->
                    new WaitPolicy(
                            mode,
                            Long.MAX_VALUE,
                            isAlone ? 1 : isPinned ? PINNED_LOOKS : SPIN_LOOKS);
            case YIELD -> new WaitPolicy(mode, Long.MAX_VALUE, 1);
            case BLOCK -> new WaitPolicy(mode, 0, NEVER);
            case ADAPTIVE ->
                    new WaitPolicy(mode, isAlone ? 0 : spinNs, isPinned ? PINNED_LOOKS : NEVER);
        };
    }

    /**
     * For how long to look before the next sleep; asked once at the start of a wait.
     *
     * @return nanoseconds; 0 to sleep at once, {@link Long#MAX_VALUE} never to sleep
     */
    public long lookNs() {
        if (mode != Mode.ADAPTIVE || trust > 0) {
            return lookNs;
        }
        sleeps = (sleeps + 1) % PROBE;
        return sleeps == 0 ? lookNs : 0;
    }

    /**
     * Whether sleeping is out of the question, so that a waiter looks on even where it cannot be
     * known whether that pays.
     *
     * @return true for {@link Mode#SPIN} and {@link Mode#YIELD}
     */
    public boolean neverSleeps() {
        return lookNs == Long.MAX_VALUE;
    }

    /**
     * Whether looking around before a sleep is out of the question.
     *
     * @return true for {@link Mode#BLOCK}, and for {@link Mode#ADAPTIVE} where nobody may spin
     */
    public boolean neverLooks() {
        return lookNs == 0;
    }

    /** Between two looks. */
    @SuppressWarnings("ThreadPriorityCheck") // yielding is what was asked for
    public void pause() {
        if (isYieldDue()) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    /** Whether the next pause is a yield; counts the pause. */
    boolean isYieldDue() {
        return (++looks & (looksAYield - 1)) == 0;
    }

    /**
     * Learns from a wait that has ended with what was waited for.
     *
     * @param lookedNs what {@link #lookNs} returned at its start
     * @param waitedNs how long it took, in nanoseconds
     */
    public void ended(long lookedNs, long waitedNs) {
        ended(lookedNs > 0, waitedNs <= lookedNs);
    }

    /**
     * Learns from a wait whose end somebody else has timed.
     *
     * @param looked whether it began with looking; nothing is learnt from one that did not
     * @param found whether there was something before a sleep became necessary
     */
    public void ended(boolean looked, boolean found) {
        if (looked && found) {
            trust = TRUST;
        } else if (looked && trust > 0) {
            trust--;
        }
    }
}

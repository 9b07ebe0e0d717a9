package org.jbmi.spi;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;

import java.util.List;
import java.util.Locale;

/**
 * How a thread waits for another thread or process: how long it polls before it sleeps, and what it
 * does between two polls. In the names of this class a <em>look</em> is one poll.
 *
 * <p>The adaptive mode learns from its results. Polling occupies a processor that others may need,
 * above all the peer. So after a few waits in which polling found nothing it sleeps at once, and
 * polls only in every {@value #PROBE}th wait. One success turns polling on again.
 *
 * <p>There is one object for each place that waits, shared by its threads without a lock. When two
 * threads learn at the same time, an update may get lost, which does no harm. Never allocates.
 */
public final class WaitPolicy {
    /** How a waiting thread spends its time. */
    public static final Knob<String> MODE =
            Knob.choice(
                    "bmi.wait",
                    List.of("adaptive", "spin", "yield", "block"),
                    "How a thread waits. adaptive polls for a moment, unless polling found"
                            + " nothing in recent waits, and then sleeps. spin polls and yields at"
                            + " every 1024th poll; yield polls and yields; block sleeps at"
                            + " once. On a machine with one processor spin yields at every"
                            + " poll, and adaptive sleeps at once. In a process that is"
                            + " pinned to one of several processors both yield at every 32nd"
                            + " poll.");

    /** How long an adaptive waiter may poll. */
    public static final Knob<Long> SPIN_NS =
            Knob.number(
                    "bmi.spinNs",
                    "ns",
                    10_000,
                    0,
                    1_000_000,
                    "How long an adaptive waiter polls before it sleeps; 0 for no" + " polling.");

    /**
     * Polls of a pinned process between two yields: some microseconds. This is little compared with
     * a time slice, for which its peer would wait on the same processor.
     */
    private static final int PINNED_LOOKS = 32;

    /**
     * Polls of a spinning thread between two yields. Other threads of this process, above all the
     * JIT compilers, must not wait for the end of a time slice. A yield without effect costs less
     * than a thousandth of the polls.
     */
    private static final int SPIN_LOOKS = 1024;

    /** Polls between two yields of a thread that does not yield: more than any wait has. */
    private static final int NEVER = 1 << 31;

    /** After so many waits in which polling found nothing, a waiter sleeps at once. */
    private static final int TRUST = 8;

    /**
     * A waiter that sleeps at once polls in each wait of this number, to see whether it pays now.
     */
    private static final int PROBE = 16;

    /** The wait modes. */
    public enum Mode {
        /** Polls for a moment if that has paid, then sleeps. */
        ADAPTIVE,
        /** Polls until there is an event. */
        SPIN,
        /** Polls until there is an event, and yields between two polls. */
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
     * @param mode the mode
     * @param spinNs how long an adaptive waiter may poll, in nanoseconds
     * @return a policy that has learnt nothing yet
     */
    public static WaitPolicy of(Mode mode, long spinNs) {
        int processors = Runtime.getRuntime().availableProcessors();
        return of(mode, spinNs, processors, processors == 1 && Processors.isPinned());
    }

    /**
     * A policy for a number of processors. With one processor no thread spins, since the event
     * could not happen meanwhile. A thread that is pinned to one of several processors spins. It
     * yields now and then, since its peer may be pinned to the same processor.
     *
     * @param mode the mode
     * @param spinNs how long an adaptive waiter may poll, in nanoseconds
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
     * How long to poll before the next sleep; called once at the start of a wait.
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
     * Whether a waiter only polls and never sleeps.
     *
     * @return true for {@link Mode#SPIN} and {@link Mode#YIELD}
     */
    public boolean neverSleeps() {
        return lookNs == Long.MAX_VALUE;
    }

    /**
     * Whether a waiter must sleep without polling first.
     *
     * @return true for {@link Mode#BLOCK}, and for {@link Mode#ADAPTIVE} where spinning is off
     */
    public boolean neverLooks() {
        return lookNs == 0;
    }

    /** Called between two polls. */
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
     * Learns from a wait that ended with its event.
     *
     * @param lookedNs what {@link #lookNs} returned at its start
     * @param waitedNs how long it took, in nanoseconds
     */
    public void ended(long lookedNs, long waitedNs) {
        ended(lookedNs > 0, waitedNs <= lookedNs);
    }

    /**
     * Learns from a wait that the caller has timed.
     *
     * @param looked whether it began with polling; otherwise nothing is learnt
     * @param found whether the event came before a sleep became necessary
     */
    public void ended(boolean looked, boolean found) {
        if (looked && found) {
            trust = TRUST;
        } else if (looked && trust > 0) {
            trust--;
        }
    }
}

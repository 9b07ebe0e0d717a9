package org.jbmi.simulator;

import org.jbmi.simulator.SimHosting.Segment;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jspecify.annotations.Nullable;

/**
 * The command queues outside of the segment, as one process has them open; for channels other than
 * the ring.
 */
abstract class SimCarrier {
    private static final int MOST_WORDS = 15;

    final SimProcess process;

    SimCarrier(SimProcess process) {
        this.process = process;
    }

    /** The same, as another process has it open. */
    abstract SimCarrier sharedWith(SimProcess other);

    /** What makes channels of it. */
    abstract CommandChannelProvider provider();

    /** Its process has ended; what has a name stays. */
    abstract void forget();

    /** Whether there is anything for a peer to receive. */
    abstract boolean hasUnread(Segment segment, SessionArea area);

    /** Whether what a peer has sent was not received. */
    abstract boolean hasUnheard(Segment segment, SessionArea area);

    /** Whether a peer that sends might soon have to wait. */
    abstract boolean isTight(Segment segment, SessionArea area);

    /**
     * Whether it has failed its process, whose session is over then although no socket was closed.
     */
    boolean hasFailed() {
        return false;
    }

    /** Puts nonsense where its process sends, or into what it has sent. */
    abstract void spoil(Dice dice, Segment segment, SessionArea area);

    /** A message that no one has written. */
    static long[] nonsense(Dice dice) {
        long[] words = new long[dice.below(MOST_WORDS)];
        for (int i = 0; i < words.length; i++) {
            words[i] = dice.chance(50) ? dice.next() : dice.below(40);
        }
        return words;
    }

    /**
     * From now on there is no room for anything more, for some time; false if that is not
     * supported.
     */
    boolean runOut(Dice dice) {
        return false;
    }

    /** Everything that ran out is available again. */
    void recover() {}

    /** Whether a thread of it has something to begin with. */
    boolean hasWork() {
        return false;
    }

    /** One step of such a thread. */
    void work() {}

    /** Whether such a thread is in the middle of something. */
    boolean isWorking() {
        return false;
    }

    /** Its process ends, and its threads with it. */
    void goDown() {}

    /** A file or queue that should have been removed; null if there is none. */
    @Nullable String leftBehind() {
        return null;
    }

    /** A file or queue that was removed although it had to stay; null if there is none. */
    @Nullable String missing() {
        return null;
    }
}

package org.jbmi.simulator;

import org.jbmi.simulator.SimHosting.Segment;
import org.jbmi.zbmi.host.port.CommandPortProvider;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jspecify.annotations.Nullable;

/** The ends of the command queues that one process has open; for channels other than the ring. */
abstract class SimCarrier {
    private static final int MOST_WORDS = 15;

    final SimProcess process;

    SimCarrier(SimProcess process) {
        this.process = process;
    }

    /** The same queues, as another process has them open. */
    abstract SimCarrier sharedWith(SimProcess other);

    /** The provider of channels over these queues. */
    abstract CommandPortProvider provider();

    /** The process has ended; queues and files with a name stay. */
    abstract void forget();

    /** Whether there is a message for a peer. */
    abstract boolean hasUnread(Segment segment, SessionArea area);

    /** Whether a message of a peer is not received yet. */
    abstract boolean hasUnreceived(Segment segment, SessionArea area);

    /** Whether a peer that sends may soon have to wait. */
    abstract boolean isTight(Segment segment, SessionArea area);

    /** Whether the queues have failed, which ends the session although no socket was closed. */
    boolean hasFailed() {
        return false;
    }

    /** Writes garbage as a message of this process, or into one that it has sent. */
    abstract void spoil(Dice dice, Segment segment, SessionArea area);

    /** A message with random contents. */
    static long[] garbage(Dice dice) {
        long[] words = new long[dice.below(MOST_WORDS)];
        for (int i = 0; i < words.length; i++) {
            words[i] = dice.chance(50) ? dice.next() : dice.below(40);
        }
        return words;
    }

    /**
     * From now on there is no room for further messages, for some time; false if that is not
     * supported.
     */
    boolean runOut(Dice dice) {
        return false;
    }

    /** There is room again. */
    void recover() {}

    /** Whether a thread of it has work to begin. */
    boolean hasWork() {
        return false;
    }

    /** Runs one step of such a thread. */
    void work() {}

    /** Whether such a thread has begun and not finished. */
    boolean isWorking() {
        return false;
    }

    /** The process ends, and with it its threads. */
    void goDown() {}

    /** A file or queue that remains although no process needs it; null if there is none. */
    @Nullable String leftBehind() {
        return null;
    }

    /** A file or queue that is missing although a process needs it; null if there is none. */
    @Nullable String missing() {
        return null;
    }
}

package org.jbmi.simulator.queue;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.process.Dice;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.zbmi.host.port.CommandPortProvider;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jspecify.annotations.Nullable;

/** The ends of the command queues that one process has open; for channels other than the ring. */
public abstract class SimCarrier {
    private static final int MOST_WORDS = 15;

    final SimProcess process;

    SimCarrier(SimProcess process) {
        this.process = process;
    }

    /** The same queues, as another process has them open. */
    public abstract SimCarrier sharedWith(SimProcess other);

    /** The provider of channels over these queues. */
    public abstract CommandPortProvider provider();

    /** The process has ended; queues and files with a name stay. */
    public abstract void forget();

    /** Whether there is a message for a peer. */
    public abstract boolean hasUnread(SharedMemory raw, SessionArea area);

    /** Whether a message of a peer is not received yet. */
    public abstract boolean hasUnreceived(SharedMemory raw, SessionArea area);

    /** Whether a peer that sends may soon have to wait. */
    public abstract boolean isTight(SharedMemory raw, SessionArea area);

    /** Whether the queues have failed, which ends the session although no socket was closed. */
    public boolean hasFailed() {
        return false;
    }

    /** Writes garbage as a message of this process, or into one that it has sent. */
    public abstract void spoil(Dice dice, SharedMemory raw, SessionArea area);

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
    public boolean runOut(Dice dice) {
        return false;
    }

    /** There is room again. */
    public void recover() {}

    /** Whether a thread of it has work to begin. */
    public boolean hasWork() {
        return false;
    }

    /** Runs one step of such a thread. */
    public void work() {}

    /** Whether such a thread has begun and not finished. */
    public boolean isWorking() {
        return false;
    }

    /** The process ends, and with it its threads. */
    public void goDown() {}

    /** A file or queue that remains although no process needs it; null if there is none. */
    public @Nullable String leftBehind() {
        return null;
    }

    /** A file or queue that is missing although a process needs it; null if there is none. */
    public @Nullable String missing() {
        return null;
    }
}

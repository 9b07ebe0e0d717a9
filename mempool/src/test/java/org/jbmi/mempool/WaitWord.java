package org.jbmi.mempool;

/**
 * A 4-byte word of shared memory at which any number of threads of any process wait for a signal.
 * It counts signals and remembers whether somebody may sleep, so that a signal to nobody costs one
 * read-modify-write and no system call. A word of zeros is ready for use.
 *
 * <pre>
 *   bit 31                                     1   0
 *   +------------------------------------------+---+
 *   | signals, modulo 2^31                     | S |   S: somebody may be asleep
 *   +------------------------------------------+---+
 * </pre>
 *
 * <p>The waiter takes a ticket, <em>then</em> looks for work, then waits with that ticket; the
 * signaller publishes work, then signals. All accesses of the word are volatile, so that either the
 * waiter sees the work or the signaller sees the sleeper:
 *
 * <pre>{@code
 * int ticket = word.ticket();
 * if (!workIsThere()) {
 *     word.await(ticket, sliceNs);
 * }
 * }</pre>
 *
 * <p>A peer that writes nonsense here makes waiters wake too often or too late, never hang beyond
 * their slice. Thread-safe; allocates nothing.
 */
public final class WaitWord {
    private static final int SLEEPER = 1;
    private static final int ONE_SIGNAL = 2;

    private final SharedMemory memory;
    private final long offset;
    private final Waiting waiting;

    /**
     * A view of one word; every process has its own.
     *
     * @param memory that holds it
     * @param offset of the word, a multiple of 4
     * @param waiting how to sleep and wake
     */
    public WaitWord(SharedMemory memory, long offset, Waiting waiting) {
        if ((offset & 3) != 0) {
            throw new IllegalArgumentException("a wait word at unaligned offset " + offset);
        }
        this.memory = memory;
        this.offset = offset;
        this.waiting = waiting;
    }

    /**
     * Where the signals stand. To be called before the waiter looks for work.
     *
     * @return a ticket for {@link #await}
     */
    public int ticket() {
        return memory.getIntVolatile(offset) & ~SLEEPER;
    }

    /**
     * Sleeps until there was a signal after the ticket was taken.
     *
     * @param ticket from {@link #ticket}
     * @param timeoutNs longest sleep, see {@link Waiting#await}
     * @return false if the time passed without a signal; true: look again
     */
    public boolean await(int ticket, long timeoutNs) {
        int asleep = ticket | SLEEPER;
        if (!memory.compareAndSetInt(offset, ticket, asleep)
                && memory.getIntVolatile(offset) != asleep) {
            return true;
        }
        return waiting.await(memory, offset, asleep, timeoutNs);
    }

    /**
     * Wakes whoever waits, and lets whoever is about to wait not sleep.
     *
     * @return whether somebody may have slept, that is, whether a system call was made
     */
    public boolean signal() {
        int seen;
        do {
            seen = memory.getIntVolatile(offset);
        } while (!memory.compareAndSetInt(offset, seen, seen + ONE_SIGNAL));
        if ((seen & SLEEPER) == 0) {
            return false;
        }
        wakeSleepers();
        return true;
    }

    // The flag falls before the wake-up: who sets it again after that sleeps on a newer value.
    private void wakeSleepers() {
        for (int now = memory.getIntVolatile(offset); (now & SLEEPER) != 0; ) {
            if (memory.compareAndSetInt(offset, now, now & ~SLEEPER)) {
                break;
            }
            now = memory.getIntVolatile(offset);
        }
        waiting.wakeAll(memory, offset);
    }
}

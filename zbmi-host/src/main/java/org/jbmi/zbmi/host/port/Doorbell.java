package org.jbmi.zbmi.host.port;

import static org.jbmi.zbmi.protocol.SegmentMap.SESSIONS_PER_DOORBELL;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.link.DoorbellRinger;
import org.jbmi.zbmi.protocol.SegmentMap;

/*
 * How an engine that polls few lanes, or sleeps, finds a message.
 *
 *   engine, to make a session cold:            peer, after it has published a message:
 *     armed := 1                                 full fence
 *     full fence                                 if armed:
 *     look into the lane again;                    armed := 0
 *       if there is something: armed := 0          set the session's bit in its doorbell word
 *   engine, to sleep:                              if the engine sleep word has a bit:
 *     engine sleep word := new number, bit           swap it to 0; bit 0: wake its sleepers,
 *     full fence                                     bit 1: send the host a ring over the socket
 *     look at all doorbell words again;
 *       if a bit is set: word := 0, go on
 *     sleep while the word has that value
 *
 * The peer publishes, then reads; the engine announces, then reads. A full fence is between the
 * two steps on both sides, so at least one side sees the other's first step. So either the engine
 * finds the message when it reads again, or the peer finds the session armed and sets the bit.
 * The bit is found by way of the sleep word in the same manner: the engine sleeps only when every
 * session is cold. If a bit is set without need, the engine polls one empty lane.
 *
 * A thread reads again and then goes to sleep. In between, another thread may take the word and set
 * it anew. The number makes the new value different, so the kernel does not let the thread sleep.
 */

/**
 * The engine's side of the doorbell; the peer's is {@link DoorbellRinger}. For the engine's thread,
 * except for {@link #wake}.
 */
public final class Doorbell {
    private static final int ONE = 4;

    private final SharedMemory memory;
    private final SegmentMap map;
    private final Waiting waiting;
    private final long sleepWord;
    private int number;

    /** A view of the doorbell of a segment. */
    public Doorbell(EngineSegment segment) {
        this.memory = segment.memory();
        this.map = segment.map();
        this.waiting = segment.waiting();
        this.sleepWord = map.engineSleepWordOffset();
    }

    /** How many words {@link #takeRung} must read. */
    public int words() {
        return map.doorbellWords();
    }

    /**
     * Takes the bits of a word.
     *
     * @param word 0 to {@link #words()} - 1
     * @return bit i: session {@code word * 63 + i} has rung; bits without a session are never set
     */
    public long takeRung(int word) {
        long at = map.doorbellOffset(word);
        if (memory.getLongVolatile(at) == 0) {
            return 0;
        }
        return memory.getAndSetLong(at, 0) & validBits(word);
    }

    /** The session of a bit. */
    public static int session(int word, int bit) {
        return word * SESSIONS_PER_DOORBELL + bit;
    }

    private long validBits(int word) {
        int sessions = map.maxClients() + 1 - word * SESSIONS_PER_DOORBELL;
        int bits = Math.min(sessions, SESSIONS_PER_DOORBELL);
        return (1L << bits) - 1;
    }

    /**
     * Announces that the engine will sleep, then reads the doorbell words once more. If it does not
     * return 0, {@link #finishSleep} must follow.
     *
     * @param how {@link DoorbellRinger#ON_WORD} if threads will sleep in {@link #sleep}, or {@link
     *     DoorbellRinger#IN_SELECTOR}
     * @return the value to {@link #sleep} with, or 0 if a peer has rung
     */
    public int prepareSleep(int how) {
        number += ONE;
        int value = number | how;
        memory.setIntVolatile(sleepWord, value);
        memory.fullFence();
        for (int word = 0; word < words(); word++) {
            if ((memory.getLongVolatile(map.doorbellOffset(word)) & validBits(word)) != 0) {
                memory.setIntVolatile(sleepWord, DoorbellRinger.AWAKE);
                return 0;
            }
        }
        return value;
    }

    /**
     * Sleeps until a peer rings, a thread wakes this one, or the time has passed. Any thread may
     * call this.
     *
     * @param value from {@link #prepareSleep}; if the word has changed it does not sleep
     * @return false if the time passed
     */
    public boolean sleep(int value, long timeoutNs) {
        return waiting.await(memory, sleepWord, value, timeoutNs);
    }

    /** Withdraws the announcement of {@link #prepareSleep}. */
    public void finishSleep() {
        memory.setIntVolatile(sleepWord, DoorbellRinger.AWAKE);
    }

    /**
     * Ends the sleep, from another thread of this process, which must have stored the reason
     * before: the engine reads it between {@link #prepareSleep} and {@link #sleep}.
     */
    public void wake() {
        if (takeOnWord()) {
            waiting.wakeAll(memory, sleepWord);
        }
    }

    /** The same, for a thread that may sleep although the word has been taken since. */
    public void wakeAnyway() {
        takeOnWord();
        waiting.wakeAll(memory, sleepWord);
    }

    private boolean takeOnWord() {
        int now = memory.getIntVolatile(sleepWord);
        while ((now & DoorbellRinger.ON_WORD) != 0) {
            if (memory.compareAndSetInt(sleepWord, now, now & ~DoorbellRinger.ON_WORD)) {
                return true;
            }
            now = memory.getIntVolatile(sleepWord);
        }
        return false;
    }
}

package org.jbmi.zbmi.link;

import static org.jbmi.zbmi.protocol.SegmentMap.SESSIONS_PER_DOORBELL;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;

/*
 * How an engine that looks at few lanes, or sleeps, learns of a message.
 *
 *   engine, to let a session go cold:          peer, after it has published a message:
 *     armed := 1                                 full fence
 *     full fence                                 if armed:
 *     look into the lane again;                    armed := 0
 *       if there is something: armed := 0          set the session's bit in its doorbell word
 *   engine, to sleep:                              if the engine sleep word is 1:
 *     engine sleep word := 1                         swap it to 0, wake its sleepers
 *     full fence
 *     look at all doorbell words again;
 *       if a bit is set: word := 0, go on
 *     sleep while the word is 1
 *
 * Of "publish, then look" on one side and "announce, then look" on the other, at least one look sees
 * what the other side did before, since a full fence stands between on both. So a message is found: by
 * the engine that looks again, or by its peer that finds the session armed, and then, since the engine
 * sleeps only when every session is cold, by the bit; and the bit by the sleep word in the same way. A
 * bit too many costs one look into an empty lane.
 */

/** The engine's side of the doorbell. For the engine's thread, but for {@link #wake}. */
public final class Doorbell {
    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;

    private final SharedMemory memory;
    private final SegmentMap map;
    private final Waiting waiting;
    private final long sleepWord;

    /**
     * A view of the doorbell of a segment.
     *
     * @param segment that holds it
     */
    public Doorbell(EngineSegment segment) {
        this.memory = segment.memory();
        this.map = segment.map();
        this.waiting = segment.waiting();
        this.sleepWord = map.engineSleepWordOffset();
    }

    /** How many words there are to be looked at with {@link #takeRung}. */
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
        int sessions = map.geometry().maxClients() + 1 - word * SESSIONS_PER_DOORBELL;
        int bits = Math.min(sessions, SESSIONS_PER_DOORBELL);
        return (1L << bits) - 1;
    }

    /**
     * Says that the engine will sleep, then looks once more. If it returns true, {@link
     * #finishSleep} must follow.
     *
     * @return false if somebody has rung
     */
    public boolean prepareSleep() {
        memory.setIntVolatile(sleepWord, ASLEEP);
        memory.fullFence();
        for (int word = 0; word < words(); word++) {
            if ((memory.getLongVolatile(map.doorbellOffset(word)) & validBits(word)) != 0) {
                memory.setIntVolatile(sleepWord, AWAKE);
                return false;
            }
        }
        return true;
    }

    /**
     * Sleeps until somebody rings or wakes, or the time has passed.
     *
     * @param timeoutNs longest sleep
     * @return false if the time passed
     */
    public boolean sleep(long timeoutNs) {
        return waiting.await(memory, sleepWord, ASLEEP, timeoutNs);
    }

    /** Takes back what {@link #prepareSleep} said. */
    public void finishSleep() {
        memory.setIntVolatile(sleepWord, AWAKE);
    }

    /**
     * Ends the sleep from another thread of this process, which must have left word of why before:
     * the engine looks for that between {@link #prepareSleep} and {@link #sleep}.
     */
    public void wake() {
        wake(memory, sleepWord, waiting);
    }

    private static void wake(SharedMemory memory, long sleepWord, Waiting waiting) {
        if (memory.getIntVolatile(sleepWord) != AWAKE
                && memory.getAndSetInt(sleepWord, AWAKE) != AWAKE) {
            waiting.wakeAll(memory, sleepWord);
        }
    }

    /** A peer's side of the doorbell. Any thread. */
    static final class Ringer {
        private final SharedMemory memory;
        private final Waiting waiting;
        private final long armed;
        private final long word;
        private final long bit;
        private final long sleepWord;

        Ringer(SharedMemory memory, SegmentMap map, SessionArea area, Waiting waiting) {
            this.memory = memory;
            this.waiting = waiting;
            this.armed = area.armedOffset();
            this.word = map.doorbellOffset(area.session() / SESSIONS_PER_DOORBELL);
            this.bit = 1L << (area.session() % SESSIONS_PER_DOORBELL);
            this.sleepWord = map.engineSleepWordOffset();
        }

        /** To be called after something was published that the engine must see. */
        void ring() {
            memory.fullFence();
            if (memory.getIntPlain(armed) != 0) {
                memory.setIntPlain(armed, 0);
                memory.getAndOrLong(word, bit);
                wake(memory, sleepWord, waiting);
            }
        }
    }
}

package org.jbmi.zbmi.link;

import static org.jbmi.zbmi.protocol.SegmentMap.SESSIONS_PER_DOORBELL;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;

/**
 * The peer's side of the doorbell. With it the peer tells the engine that there is something to
 * read. {@code Doorbell}, the engine's side, explains the protocol. Any thread may call this.
 */
public final class DoorbellRinger {
    /** The engine's sleep word: it does not sleep. */
    public static final int AWAKE = 0;

    /** The engine's sleep word: threads sleep on it. */
    public static final int ON_WORD = 1;

    /** The engine's sleep word: a thread sleeps in a selector on the peers' sockets. */
    public static final int IN_SELECTOR = 2;

    private static final int BITS = ON_WORD | IN_SELECTOR;

    private final SharedMemory memory;
    private final Waiting waiting;
    private final long armed;
    private final long word;
    private final long bit;
    private final long sleepWord;
    private final Runnable socket;

    /** A view of the doorbell of one session. */
    public DoorbellRinger(
            SharedMemory memory,
            SegmentMap map,
            SessionArea area,
            Waiting waiting,
            Runnable socket) {
        this.memory = memory;
        this.waiting = waiting;
        this.armed = area.armedOffset();
        this.word = map.doorbellOffset(area.session() / SESSIONS_PER_DOORBELL);
        this.bit = 1L << (area.session() % SESSIONS_PER_DOORBELL);
        this.sleepWord = map.engineSleepWordOffset();
        this.socket = socket;
    }

    /** To be called after something was published that the engine must read. */
    public void ring() {
        if (isWakeDue()) {
            wake();
        }
    }

    /**
     * The part of {@link #ring} that never waits; if it returns true, {@link #wake} must follow.
     */
    boolean isWakeDue() {
        memory.fullFence();
        if (memory.getIntPlain(armed) == 0) {
            return false;
        }
        memory.setIntPlain(armed, 0);
        memory.getAndOrLong(word, bit);
        return (memory.getIntVolatile(sleepWord) & BITS) != 0;
    }

    /** Wakes the engine. */
    void wake() {
        int was = memory.getAndSetInt(sleepWord, AWAKE);
        if ((was & ON_WORD) != 0) {
            waiting.wakeAll(memory, sleepWord);
        }
        if ((was & IN_SELECTOR) != 0) {
            socket.run();
        }
    }
}

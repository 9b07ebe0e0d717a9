package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;

import java.util.concurrent.TimeUnit;

/**
 * The writing end of a session. All threads of the peer share it. A short lock makes them one
 * producer, so a thread that fails leaves no gap in a lane. Notes that must be delivered and find
 * no room are kept, and sent before all later messages.
 */
final class LaneSender {
    private static final long VIRTUAL_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final SharedMemory memory;
    private final MessageSink sink;
    private final DoorbellRinger ringer;
    private final PeerSleep sleep;
    private final long wantsCredit;
    private final SpinLock lock;
    private final MessageBacklog unsaid;
    private final Message oldestUnsaid = new Message();

    /** Whether {@link #unsaid} has any; written with the lock held. */
    private volatile boolean hasUnsaid;

    private volatile boolean isBroken;

    /** Of the last note that {@link #tryNote} sent. */
    private int lastKind;

    LaneSender(
            SharedMemory memory,
            SessionArea area,
            MessageSink sink,
            PeerSleep sleep,
            DoorbellRinger ringer,
            SpinLock lock,
            int maxUnsaid) {
        this.lock = lock;
        this.unsaid = new MessageBacklog(maxUnsaid);
        this.memory = memory;
        this.sleep = sleep;
        this.wantsCredit = area.peerWantsCreditOffset();
        this.ringer = ringer;
        this.sink = sink;
    }

    /** Sends and rings; returns the sink's result. */
    int offer(Message message) {
        return say(message, false);
    }

    /** See {@link ClientLink#tryNote}; with the lock held. */
    int tryNote(Message message) {
        int result = hasUnsaid ? MessageSink.FULL : sink.offer(message);
        if (result != MessageSink.SENT) {
            return PeerLine.NOT_SENT;
        }
        boolean isWakeDue = ringer.isWakeDue();
        int kind = message.kind();
        if (kind == ClientRequests.RECEIVE || kind == lastKind) {
            // For the request to which that receive takes the reply, or the next of many messages.
            // Behind the fence, which would wait for these stores.
            sink.fetchNext();
        }
        lastKind = kind;
        return isWakeDue ? ClientLink.WAKE : PeerLine.OK;
    }

    /** See {@link ClientLink#wakeEngine}. */
    void wakeEngine() {
        ringer.wake();
    }

    /**
     * Sends a note or keeps it.
     *
     * @return {@link MessageSink#SENT}; {@link MessageSink#FULL}: it is kept; {@link
     *     MessageSink#BROKEN}, also if it cannot be kept
     */
    int tell(Message message) {
        return say(message, true);
    }

    private int say(Message message, boolean mayKeep) {
        int result;
        boolean rings;
        lock.lock();
        try {
            rings = sayUnsaid();
            int behindUnsaid = isBroken ? MessageSink.BROKEN : MessageSink.FULL;
            result = hasUnsaid ? behindUnsaid : sink.offer(message);
            rings |= result == MessageSink.SENT;
            if (mayKeep && result == MessageSink.FULL) {
                // A note that must be delivered and finds no room here either ends the session.
                result = unsaid.add(message) ? MessageSink.FULL : MessageSink.BROKEN;
                hasUnsaid = !unsaid.isEmpty();
            }
        } finally {
            lock.unlock();
        }
        if (rings) {
            ringer.ring();
        }
        return result;
    }

    boolean hasUnsaid() {
        return hasUnsaid;
    }

    /** Sends kept notes while there is room, unless another thread does. */
    void flush() {
        boolean rings = false;
        if (lock.tryLock()) {
            try {
                rings = sayUnsaid();
            } finally {
                lock.unlock();
            }
        }
        if (rings) {
            ringer.ring();
        }
    }

    /** Before a sleep: sends kept notes, or asks the engine to end the sleep when there is room. */
    void flushOrAskForRoom() {
        boolean rings;
        lock.lock(); // who holds it may be about something else, and leave the notes to this thread
        try {
            rings = sayUnsaid();
            if (hasUnsaid) {
                memory.setIntVolatile(wantsCredit, 1);
                memory.fullFence();
                rings |= sayUnsaid();
            }
        } finally {
            lock.unlock();
        }
        if (rings) {
            ringer.ring();
        }
    }

    /** Whether a kept note has found the sink broken. */
    boolean isBroken() {
        return isBroken;
    }

    // Under the lock; whether a note was sent.
    private boolean sayUnsaid() {
        boolean sent = false;
        while (hasUnsaid) {
            unsaid.peek(oldestUnsaid);
            int result = sink.offer(oldestUnsaid);
            if (result != MessageSink.SENT) {
                isBroken |= result == MessageSink.BROKEN;
                return sent;
            }
            unsaid.removeFirst();
            sent = true;
            if (unsaid.isEmpty()) {
                hasUnsaid = false;
            }
        }
        return sent;
    }

    /** Tells the engine that there is room for the messages that it holds back. */
    void returnCredit() {
        ringer.ring();
    }

    /** Whether there is room; if not, the engine will wake this side when there is. */
    boolean hasRoom() {
        if (!isFull()) {
            return true;
        }
        memory.setIntVolatile(wantsCredit, 1);
        memory.fullFence();
        return !isFull();
    }

    /** Whether a note would find room now; asks for nothing. */
    boolean mayOffer() {
        return !hasUnsaid && !isFull();
    }

    // This side announces that it sleeps for room, then reads the count; the engine's consumer
    // reads a quarter, then reads the announcement.
    void awaitRoom(long timeoutNs) {
        if (Thread.currentThread().isVirtual()) {
            Interrupts.park(Math.min(timeoutNs, VIRTUAL_PARK_NS));
            return;
        }
        int value = sleep.enter(PeerSleep.ON_WORD);
        memory.setIntVolatile(wantsCredit, 1);
        memory.fullFence();
        if (isFull()) {
            sleep.await(value, timeoutNs);
        }
        sleep.leave(PeerSleep.ON_WORD);
    }

    private boolean isFull() {
        lock.lock();
        try {
            return sink.room() == MessageSink.FULL;
        } finally {
            lock.unlock();
        }
    }
}

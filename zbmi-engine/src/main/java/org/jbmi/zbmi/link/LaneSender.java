package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writing end of a peer's conversation as all its threads share it: a short lock makes them one
 * producer, so that a thread that dies leaves no hole in a lane.
 */
final class LaneSender {
    private static final long VIRTUAL_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final SharedMemory memory;
    private final MessageSink sink;
    private final Doorbell.Ringer ringer;
    private final PeerSleep sleep;
    private final long wantsCredit;
    private final ReentrantLock lock = new ReentrantLock();

    LaneSender(
            PeerAttachment attachment,
            SessionArea area,
            MessageSink sink,
            PeerSleep sleep,
            PeerSocket socket) {
        this.memory = attachment.memory();
        this.sleep = sleep;
        this.wantsCredit = area.peerWantsCreditOffset();
        this.ringer =
                new Doorbell.Ringer(
                        memory, attachment.map(), area, attachment.waiting(), socket::ring);
        this.sink = sink;
    }

    /** Sends and rings; the result is the sink's. */
    int offer(Message message) {
        int result;
        lock.lock();
        try {
            result = sink.offer(message);
        } finally {
            lock.unlock();
        }
        if (result == MessageSink.SENT) {
            ringer.ring();
        }
        return result;
    }

    /** Tells the engine that there is room for what it holds back. */
    void returnCredit() {
        ringer.ring();
    }

    /** Whether there is room; if not, the engine will say when there is some. */
    boolean hasRoom() {
        if (!isFull()) {
            return true;
        }
        memory.setIntVolatile(wantsCredit, 1);
        memory.fullFence();
        return !isFull();
    }

    // "Asleep and wanting, then look" here, "read a quarter, then look" in the engine's consumer.
    void awaitRoom(long timeoutNs) {
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(Math.min(timeoutNs, VIRTUAL_PARK_NS));
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

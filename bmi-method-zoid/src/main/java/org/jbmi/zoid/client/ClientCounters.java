package org.jbmi.zoid.client;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.SpinLock;

import java.lang.foreign.MemorySegment;

/** The counters of the client half; the lock of the half guards those of the hot path. */
final class ClientCounters {
    private static final int FIRST_ID = 3100;

    private final SpinLock lock;

    private final Counter copies;
    private final Counter calls;
    private final Counter sendCalls;
    private final Counter receiveCalls;
    private final Counter testCalls;
    private final Counter unaligned;
    final Counter voidGrants;
    final Counter attachments;
    final Counter protocolErrors;
    final Counter leakedBlocks;

    /** Registers them. */
    ClientCounters(Counters counters, SpinLock lock) {
        this.lock = lock;
        copies = counters.register(FIRST_ID, "zoid.client.copies", "messages");
        calls = counters.register(FIRST_ID + 1, "zoid.client.forwardedCalls", "calls");
        sendCalls = counters.register(FIRST_ID + 2, "zoid.client.forwardedCalls.send", "calls");
        receiveCalls = counters.register(FIRST_ID + 3, "zoid.client.forwardedCalls.recv", "calls");
        testCalls = counters.register(FIRST_ID + 4, "zoid.client.forwardedCalls.test", "calls");
        unaligned = counters.register(FIRST_ID + 5, "zoid.client.unalignedBuffers", "buffers");
        voidGrants = counters.register(FIRST_ID + 6, "zoid.client.voidGrants", "grants");
        attachments = counters.register(FIRST_ID + 7, "zoid.client.attachments", "sessions");
        protocolErrors = counters.register(FIRST_ID + 8, "zoid.client.protocolErrors", "messages");
        leakedBlocks = counters.register(FIRST_ID + 9, "zoid.client.leakedBlocks", "blocks");
    }

    /** Counts a call that asks the engine; with the lock free. */
    void test() {
        lock.lock();
        count(testCalls);
        lock.unlock();
    }

    /** A post; with the lock held. */
    void post(OperationKind kind) {
        count(kind == OperationKind.RECEIVE ? receiveCalls : sendCalls);
    }

    /** Counts a buffer if it is not aligned. */
    void aligned(MemorySegment buffer) {
        if ((buffer.address() & 15) != 0) {
            unaligned.increment();
        }
    }

    private void count(Counter kind) {
        calls.addBySingleWriter(1);
        kind.addBySingleWriter(1);
    }

    /** Counts the bytes of a message that have moved, if it had any; with the lock held. */
    void copied(long bytes) {
        if (bytes > 0) {
            copies.addBySingleWriter(1);
        }
    }
}

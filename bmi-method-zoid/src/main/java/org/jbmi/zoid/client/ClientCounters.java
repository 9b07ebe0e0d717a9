package org.jbmi.zoid.client;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.spi.SpinLock;

/** What the client half counts. */
final class ClientCounters {
    private static final int FIRST_ID = 3100;

    private final SpinLock lock = new SpinLock();

    final Counter copies;
    final Counter calls;
    final Counter sendCalls;
    final Counter receiveCalls;
    final Counter testCalls;
    final Counter unaligned;
    final Counter voidGrants;
    final Counter attachments;
    final Counter protocolErrors;
    final Counter leakedBlocks;

    ClientCounters(Counters counters) {
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

    void test() {
        count(testCalls);
    }

    void send() {
        count(sendCalls);
    }

    void receive() {
        count(receiveCalls);
    }

    // One locked instruction for both: all who write these counters hold the lock.
    private void count(Counter kind) {
        lock.lock();
        try {
            calls.addBySingleWriter(1);
            kind.addBySingleWriter(1);
        } finally {
            lock.unlock();
        }
    }
}

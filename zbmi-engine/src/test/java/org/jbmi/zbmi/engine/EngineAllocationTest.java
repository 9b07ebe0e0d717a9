package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.ClientRequests.INLINE;
import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import com.sun.management.ThreadMXBean;

import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.GrantWindow;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;

/** Events allocate nothing once everything has grown to what is needed. */
@Timeout(60)
class EngineAllocationTest {
    private static final int ROUNDS = 20_000;
    private static final int MAX_BATCHES = 10;

    /** A host and a client in one, which allocate nothing themselves. */
    private static final class World implements EngineHost, EnginePayload {
        private final long[] windows = new long[64];
        private final long[] counts = new long[EngineCounter.values().length];
        private final Message request = new Message();
        private final ServerPost post = new ServerPost();
        final Engine engine;
        private long grantId;
        private long grantBytes;
        private int grantWindow;
        private long claimWord;
        private long unexpectedOffset;
        private long zoidId;
        private long filled;

        World() {
            engine = new Engine(EngineFixture.limits(), this, this);
            engine.serverAttached(1);
            engine.clientAttached(1, 11);
        }

        @Override
        public void send(int session, Message m) {
            if (m.kind() == ClientEvents.GRANT) {
                grantId = ClientEvents.grantId(m);
                grantBytes = ClientEvents.grantBytes(m);
                grantWindow = ClientEvents.window(m);
                claimWord = ClientEvents.claimWord(m);
            } else if (m.kind() == ServerEvents.UNEXPECTED) {
                unexpectedOffset = ServerEvents.offset(m);
            } else if (m.kind() == ServerEvents.REGISTERED) {
                zoidId = ServerEvents.answer(m);
            }
        }

        private void move() {
            windows[grantWindow] = GrantWindow.claimed(claimWord);
            ClientRequests.done(request, grantId, grantBytes, 0);
            engine.receive(1, request, 0);
        }

        private void post(boolean isSend, long i, int tag) {
            post(isSend, i, tag, 1000);
        }

        private void post(boolean isSend, long i, int tag, long bytes) {
            post.isSend = isSend;
            post.reference = i;
            post.session = 1;
            post.generation = 11;
            post.tag = tag;
            post.expiryMs = ServerRequests.NEVER;
            post.bytes = bytes;
            post.offset = EngineFixture.EXPECTED;
            engine.post(i, post, i);
        }

        void round(long i) {
            int tag = (int) i % 5;
            post(false, i, tag);
            ClientRequests.send(request, i, i, tag, 500, 0, NOT_EAGER, 0);
            engine.receive(1, request, i);
            move();
            post(true, i, tag);
            ClientRequests.receive(request, i, i, tag, 1000, 50, ClientRequests.NO_DATA_ROOM);
            engine.receive(1, request, i);
            move();
            ClientRequests.receive(request, 0, i & 1, tag, 1000, 0, EngineFixture.EAGER);
            engine.receive(1, request, i);
            post(true, i, tag, EngineFixture.EAGER);
            engine.receive(1, ClientRequests.send(request, i, i, tag, 50, 0, 1, i), i);
            post(false, i, tag);
            ClientRequests.sendUnexpected(request, i, i, tag, 0, 8, 0, INLINE, 0).put(i);
            engine.receive(1, request, i);
            engine.unexpectedFree(unexpectedOffset);
            engine.receive(1, ClientRequests.sendLent(request, 2, tag, 0, 100), i);
            engine.unexpectedFree(unexpectedOffset);
            post(false, i, tag);
            engine.cancel(i, i, zoidId);
            engine.receive(1, ClientRequests.test(request, i, 100), i);
            engine.receive(1, ClientRequests.disarm(request, i), i);
            engine.tick(i);
        }

        @Override
        public void fault(int session, Fault fault) {
            throw new AssertionError(fault);
        }

        @Override
        public boolean takeEager(int client, int slot, long sequence) {
            return true;
        }

        @Override
        public void copyEager(int client, int slot, long bytes, long offset) {}

        @Override
        public boolean copyEagerToList(int client, int slot, long bytes, long list, int entries) {
            return true;
        }

        @Override
        public void copyInline(Message message, long bytes, long offset) {}

        @Override
        public boolean isListSound(long listOffset, int listEntries, long bytes) {
            return true;
        }

        @Override
        public boolean mayPublish(int client) {
            return true;
        }

        @Override
        public boolean sendData(int client, Message head, long offset, long bytes) {
            return true;
        }

        @Override
        public long cancels(int client) {
            return 0;
        }

        @Override
        public long dataSlotsBack(int client) {
            return filled;
        }

        @Override
        public void fillDataSlot(int client, int slot, long offset, long bytes) {
            filled++;
        }

        @Override
        public void returned(int client, long word) {}

        @Override
        public void sendTags(int client, long bits) {}

        @Override
        public void keeps(int client, int word) {}

        @Override
        public void openWindow(int client, int window, long word) {
            windows[window] = word;
        }

        @Override
        public long windowWord(int client, int window) {
            return windows[window];
        }

        @Override
        public boolean swapWindow(int client, int window, long expected, long word) {
            boolean isExpected = windows[window] == expected;
            windows[window] = isExpected ? word : windows[window];
            return isExpected;
        }
    }

    @Test
    void everyKindOfEventAllocatesNothingAfterWarmUp() {
        World world = new World();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        int batches = 0;
        // What is not compiled yet allocates; on a busy machine that is soon, but not at once.
        while (least >= ROUNDS && batches < MAX_BATCHES) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 1; i <= ROUNDS; i++) {
                world.round(batches * ROUNDS + i);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            batches++;
        }
        long rounds = (long) batches * ROUNDS;
        world.engine.takeCounts(
                (session, counter, delta) -> world.counts[counter.ordinal()] += delta);
        assertThat(world.counts[EngineCounter.MESSAGES_SENT.ordinal()]).isEqualTo(2 * rounds);
        assertThat(world.counts[EngineCounter.MESSAGES_RECEIVED.ordinal()]).isEqualTo(2 * rounds);
        assertThat(world.filled).isEqualTo(rounds);
        assertThat(world.engine.pendingOperations()).isZero();
        assertThat(least).as("bytes for %d rounds", ROUNDS).isLessThan(ROUNDS);
    }
}

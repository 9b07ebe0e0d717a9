package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.pool.PinnedPool;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.Seams;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;

/** A session closes while the heap is full. */
@Timeout(30)
class FullHeapCloseTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int CLOSES = 20;
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final long MOST_NS = 1_000_000;

    private final Link link = new Link();
    private boolean failsInWake;
    private int ends;

    private ClientSession sessionWithReceive() {
        SpinLock lock = new SpinLock();
        ClientSession session =
                new ClientSession(
                        new Host(),
                        lock,
                        new ClientCounters(Counters.inMemory(), lock),
                        new PinnedPool(null, 4096, false, change -> {}),
                        Seams.production(),
                        events -> link);
        assertThat(session.post(new ServerReceive(Long.BYTES), 0)).isEqualTo(Method.PENDING);
        return session;
    }

    /** A close that makes an object finds no memory for it, and then says no goodbye. */
    @Test
    void itMakesNothing() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < CLOSES; i++) { // the first one loads classes
            ClientSession session = sessionWithReceive();
            long before = THREADS.getCurrentThreadAllocatedBytes();
            boolean isReleased = session.close(CANCELLED, MOST_NS);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            assertThat(isReleased).isTrue();
        }
        assertThat(least).as("bytes").isZero();
        assertThat(ends).isEqualTo(CLOSES);
    }

    @Test
    void aCancelThatFailsLeavesNeitherLinkNorOperation() {
        ClientSession session = sessionWithReceive();
        link.failsInCancel = true;
        assertThat(session.close(CANCELLED, MOST_NS)).isTrue();
        assertThat(link.closes).isEqualTo(1);
        assertThat(ends).isEqualTo(1);
    }

    @Test
    void anEndThatFailsLeavesNoLink() {
        ClientSession session = sessionWithReceive();
        failsInWake = true;
        assertThatThrownBy(() -> session.close(CANCELLED, MOST_NS))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(link.closes).isEqualTo(1);
    }

    private final class Host extends HostWithKnobs {
        @Override
        public void complete(Operation operation, int error, long sizeBytes) {
            ends += error == CANCELLED ? 1 : 0; // an assertion makes objects
        }

        @Override
        public void wake() {
            if (failsInWake) {
                throw new OutOfMemoryError("played");
            }
        }
    }

    private static final class Link implements QuietLink {
        private boolean failsInCancel;
        private int closes;

        @Override
        public boolean mayHaveSend(int tag) {
            return false;
        }

        @Override
        public long countCancel() {
            if (failsInCancel) {
                throw new OutOfMemoryError("played");
            }
            return 1;
        }

        @Override
        public int tryNote(Message note) {
            return OK;
        }

        @Override
        public int note(Message note, long timeoutNs) {
            return OK;
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            throw new AssertionError("nothing here waits for an answer");
        }

        @Override
        public boolean claim(Message grant) {
            throw new AssertionError("nothing here is granted");
        }

        @Override
        public void close() {
            closes++;
        }
    }
}

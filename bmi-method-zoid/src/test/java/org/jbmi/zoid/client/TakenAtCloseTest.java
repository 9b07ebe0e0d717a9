package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.Parking;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;

/** A close waits for the outcome of a send whose bytes the engine has taken. */
@Timeout(30)
class TakenAtCloseTest {
    private static final int BYTES = 300;

    private final Naps naps = new Naps();
    private final ZoidClient client =
            new ZoidClient(
                    new HostWithKnobs(),
                    (waitNs, isOver, events) -> new Link(),
                    new Seams(
                            () -> naps.nowNs += 1000,
                            new FutexWaiting(),
                            new ProcessLiveness(),
                            naps));

    @Test
    void itSleepsMeanwhileAlsoIfItsThreadIsInterrupted() {
        client.lookup(ZoidAddress.SERVER);
        assertThat(client.post(new Send())).isEqualTo(Method.PENDING);
        Thread.currentThread().interrupt();
        client.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(naps.count).isPositive();
        assertThat(naps.interrupted).as("parks that end at once").isZero();
    }

    private static final class Send extends Operation {
        Send() {
            this.kind = OperationKind.SEND;
            this.address = ZoidAddress.server();
            this.sizeBytes = BYTES;
            this.buffer = MemorySegment.ofArray(new byte[BYTES]);
            this.bufferCount = 1;
        }
    }

    private static final class Naps implements Parking {
        private long nowNs;
        private int count;
        private int interrupted;

        @Override
        public Thread current() {
            return Thread.currentThread();
        }

        @Override
        public void park(Object blocker, long timeoutNs) {
            nowNs += timeoutNs;
            count++;
            if (Thread.currentThread().isInterrupted()) {
                interrupted++;
            }
        }

        @Override
        public void unpark(Thread thread) {}
    }

    /** The engine takes what is eager, and says no more. */
    private static final class Link implements EagerLink {
        @Override
        public SessionLimits limits() {
            return new SessionLimits(1 << 20, 1000, BYTES, 16, 10);
        }

        @Override
        public boolean withdrawEager(int slot, long sequence) {
            return false;
        }

        @Override
        public void releaseEagerSlot(int slot) {}

        @Override
        public int tryNote(Message note) {
            return OK;
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            ClientEvents.pending(reply, 1, ClientRequests.reference(request), 9);
            return OK;
        }

        @Override
        public int note(Message note, long timeoutNs) {
            return OK;
        }

        @Override
        public boolean claim(Message grant) {
            throw new AssertionError("nothing here is granted");
        }
    }
}

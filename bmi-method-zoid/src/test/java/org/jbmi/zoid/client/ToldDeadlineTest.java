package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.QuietHost;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The engine may take eager bytes while no thread calls here, so it is told their deadline. */
@Timeout(30)
class ToldDeadlineTest {
    private static final long NOW_NS = 1000;
    private static final long MS = 1_000_000;
    private static final long ID = 77;

    private final Host host = new Host();
    private final Link link = new Link();
    private final ClientOperations operations =
            new ClientHalf(host, link, Long.BYTES, () -> NOW_NS).operations;

    private void posted(long leftNs) {
        assertThat(operations.post(new Send(leftNs), 0)).isEqualTo(Method.PENDING);
    }

    @Test
    void aDeadlineIsToldWhenThePostIsAnswered() {
        posted(3 * MS);
        assertThat(link.told).containsExactly(3L);
        assertThat(operations.hasWork()).isFalse();
    }

    @Test
    void aDeadlineIsToldOnceAlsoIfTheAnswerToThePostIsLate() {
        link.isLate = true;
        posted(3 * MS);
        assertThat(link.told).as("the engine has given it no id yet").isEmpty();
        Message answer = new Message();
        operations.onEvent(ClientEvents.pending(answer, 0, link.reference, ID));
        assertThat(link.told).as("no note is sent while events are dispatched").isEmpty();
        assertThat(operations.hasWork()).isTrue();
        assertThat(host.wakes).isOne();
        operations.runDeferred();
        operations.runDeferred();
        assertThat(link.told).containsExactly(3L);
        assertThat(operations.hasWork()).isFalse();
    }

    @Test
    void theEngineDoesNotEndAnOperationBeforeItsDeadline() {
        posted(MS - 5);
        posted(2 * MS + 5);
        posted(-5);
        assertThat(link.told).containsExactly(1L, 3L, 0L);
    }

    private static final class Send extends Operation {
        Send(long leftNs) {
            this.kind = OperationKind.SEND;
            this.address = ZoidAddress.server();
            this.sizeBytes = Long.BYTES;
            this.buffer = MemorySegment.ofArray(new byte[Long.BYTES]);
            this.bufferCount = 1;
            this.hasDeadline = true;
            this.deadlineNs = NOW_NS + leftNs;
        }
    }

    private static final class Host extends QuietHost {
        int wakes;

        @Override
        public void complete(Operation operation, int error, long sizeBytes) {
            throw new AssertionError("nothing here ends");
        }

        @Override
        public void wake() {
            wakes++;
        }
    }

    /** A link with eager slots, and an engine that registers every post. */
    private static final class Link implements EagerLink {
        final List<Long> told = new ArrayList<>();
        boolean isLate;
        long reference;

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            reference = ClientRequests.reference(request);
            if (isLate) {
                return TIMED_OUT;
            }
            ClientEvents.pending(reply, 1, reference, ID);
            return OK;
        }

        @Override
        public int note(Message note, long timeoutNs) {
            assertThat(note.kind()).isEqualTo(ClientRequests.EXPIRES);
            told.add(ClientRequests.expiresMs(note));
            return OK;
        }

        @Override
        public boolean claim(Message grant) {
            throw new AssertionError("nothing is offered");
        }
    }
}

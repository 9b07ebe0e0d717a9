package org.jbmi.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Arrays;
import java.util.concurrent.FutureTask;

/** A member closes while a thread uses its memory. */
@Timeout(60)
class ClosingTest {
    private static final int TAG = 3;
    private static final long PIECE_BYTES = 8192;

    private final LoopbackHub hub = new LoopbackHub();
    private final Completions done = Completions.ofCapacity(1);
    private final MemorySegment buffer = Arena.ofAuto().allocate(8192);
    private Bmi a;
    private Bmi b;
    private CompletionContext ofA;
    private CompletionContext ofB;
    private PeerAddress toA;
    private PeerAddress toB;

    @BeforeEach
    void open() {
        a = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://a").open();
        b = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://b").open();
        ofA = a.openContext();
        ofB = b.openContext();
        toB = a.lookup("loopback://b");
        toA = b.lookup("loopback://a");
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        assertThat(hub.memberCount()).isZero();
    }

    /** A write to a full pipe holds the memory of the message until somebody reads. */
    @Test
    void aPayloadInANativeCallKeepsNoOutcomeBack() throws Exception {
        assertThat(ofA.postSendUnexpected(toB, buffer, TAG)).isEqualTo(buffer.byteSize());
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        assertThat(b.testUnexpected(one, 0)).isOne();
        long receive = ofA.postReceive(toB, buffer, TAG);
        long send = ofA.postSend(toB, buffer, TAG);
        assertThat(PostResult.isPending(receive) && PostResult.isPending(send)).isTrue();

        Pipe pipe = Pipe.open();
        ByteBuffer[] more = new ByteBuffer[64]; // than a pipe holds
        Arrays.setAll(more, i -> one.payload(0).asByteBuffer());
        Thread writer = new Thread(new FutureTask<>(() -> pipe.sink().write(more)), "writer");
        try {
            writer.start();
            assertThat(pipe.source().read(ByteBuffer.allocate(1))).isOne();
            assertThatThrownBy(b::close).isInstanceOf(IllegalStateException.class);

            assertEnds(receive, ErrorCode.EPIPE);
            assertEnds(send, ErrorCode.EPIPE);
        } finally {
            pipe.source().close();
            writer.join();
            pipe.sink().close();
        }
    }

    private void assertEnds(long id, ErrorCode outcome) {
        assertThat(ofA.test(id, done, 10_000)).isOne();
        assertThat(done.outcome(0)).isEqualTo(outcome);
    }

    /** Many pieces, since a copy of one piece goes on while its memory is freed. */
    @Test
    void aCloseWaitsForATransferOfItsOwnPost() throws Exception {
        MemorySegment memory = toB.allocate(4096 * PIECE_BYTES);
        MemorySegment to = Arena.ofAuto().allocate(memory.byteSize(), 64);
        memory.fill((byte) 7);
        MemorySegment[] pieces = new MemorySegment[4096];
        Arrays.setAll(pieces, i -> memory.asSlice(i * PIECE_BYTES, PIECE_BYTES));
        long receive = ofB.postReceive(toA, to, TAG);
        FutureTask<Long> send =
                new FutureTask<>(
                        () ->
                                ofA.postSendList(
                                        toB,
                                        pieces,
                                        memory.byteSize(),
                                        TAG,
                                        null,
                                        PostOptions.NONE));
        Thread sender = new Thread(send, "sender");
        sender.start();
        while (to.get(ValueLayout.JAVA_BYTE, 0) == 0) {
            Thread.onSpinWait();
        }
        a.close();
        assertThat(ofB.test(receive, done, 10_000)).isOne();
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        assertThat(send.get()).isEqualTo(memory.byteSize());
        sender.join();
    }
}

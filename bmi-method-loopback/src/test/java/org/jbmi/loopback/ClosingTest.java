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
import org.jbmi.testsuite.support.StuckWrite;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/** A member closes while a thread uses its memory. */
@Timeout(60)
class ClosingTest {
    private static final int TAG = 3;
    private static final int PIECES = 4096;
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
        openA();
        b = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://b").open();
        ofB = b.openContext();
        toA = b.lookup("loopback://a");
    }

    private void openA() {
        a = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://a").open();
        ofA = a.openContext();
        toB = a.lookup("loopback://b");
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        assertThat(hub.memberCount()).isZero();
    }

    /** A write holds the memory of the message. */
    @Test
    void aPayloadInANativeCallKeepsNoOutcomeBack() throws Exception {
        assertThat(ofA.postSendUnexpected(toB, buffer, TAG)).isEqualTo(buffer.byteSize());
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        assertThat(b.testUnexpected(one, 0)).isOne();
        long receive = ofA.postReceive(toB, buffer, TAG);
        long send = ofA.postSend(toB, buffer, TAG);
        assertThat(PostResult.isPending(receive) && PostResult.isPending(send)).isTrue();

        try (StuckWrite write = new StuckWrite(one.payload(0))) {
            write.awaitBegin();
            assertThatThrownBy(b::close).isInstanceOf(IllegalStateException.class);

            assertEnds(receive, ErrorCode.EPIPE);
            assertEnds(send, ErrorCode.EPIPE);
        }
    }

    /** A write holds the memory of the message, and a block of the pool. */
    @Test
    void aCloseReportsAllMemoryThatItCannotFree() throws Exception {
        assertThat(ofA.postSendUnexpected(toB, buffer, TAG)).isEqualTo(buffer.byteSize());
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        assertThat(b.testUnexpected(one, 0)).isOne();
        MemorySegment block = toA.allocate(buffer.byteSize());
        try (StuckWrite write = new StuckWrite(block, one.payload(0))) {
            write.awaitBegin();
            assertThatThrownBy(b::close)
                    .isInstanceOf(IllegalStateException.class)
                    .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        }
    }

    /** A wait for the native call would be a thousand parks for each of the two. */
    @Test
    void aCloseWaitsForNoNativeCallBeyondItsDeadline() throws Exception {
        Bmi hasty =
                Bmi.builder()
                        .attach(LoopbackHub.class, hub)
                        .listen("loopback://hasty")
                        .knob("bmi.closeWaitMs", "0")
                        .open();
        assertThat(ofA.postSendUnexpected(a.lookup("loopback://hasty"), buffer, TAG))
                .isEqualTo(buffer.byteSize());
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        assertThat(hasty.testUnexpected(one, 0)).isOne();
        MemorySegment block = hasty.lookup("loopback://a").allocate(buffer.byteSize());
        try (StuckWrite write = new StuckWrite(block, one.payload(0))) {
            write.awaitBegin();
            long before = waits();
            assertThatThrownBy(hasty::close).isInstanceOf(IllegalStateException.class);
            assertThat(waits() - before).isLessThan(100);
        }
    }

    /** How often this thread has waited or parked. */
    private static long waits() {
        return ManagementFactory.getThreadMXBean()
                .getThreadInfo(Thread.currentThread().threadId())
                .getWaitedCount();
    }

    private void assertEnds(long id, ErrorCode outcome) {
        assertThat(ofA.test(id, done, 10_000)).isOne();
        assertThat(done.outcome(0)).isEqualTo(outcome);
    }

    @Test
    void aCloseWaitsForATransferOfItsOwnPost() throws Exception {
        closeAmidATransfer(to -> a.close());
    }

    @Test
    void aContextThatClosesWaitsForATransferOfItsOwnPost() throws Exception {
        closeAmidATransfer(
                to -> {
                    ofA.close();
                    byte last = to.get(ValueLayout.JAVA_BYTE, to.byteSize() - 1);
                    assertThat(last)
                            .as("the last byte is there after the close")
                            .isEqualTo((byte) 7);
                });
    }

    /** Closes something of the sender until that meets a running transfer. */
    private void closeAmidATransfer(Consumer<MemorySegment> close) throws Exception {
        MemorySegment to = Arena.ofAuto().allocate(PIECES * PIECE_BYTES, 64);
        boolean seen = false;
        for (int attempt = 0; attempt < 200 && !seen; attempt++) {
            to.fill((byte) 0);
            long receive = ofB.postReceive(toA, to, TAG);
            FutureTask<Long> send = sendElsewhere();
            seen = meetsTransfer(to, send);
            close.accept(to);
            assertThat(ofB.test(receive, done, 10_000)).isOne();
            assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
            assertThat(send.get()).isEqualTo(to.byteSize());
            a.close();
            openA();
        }
        assertThat(seen).as("a close met a running transfer in one of many attempts").isTrue();
    }

    /** Waits until the first byte has come; returns whether the send is still moving others. */
    private static boolean meetsTransfer(MemorySegment to, FutureTask<Long> send) {
        while (to.get(ValueLayout.JAVA_BYTE, 0) == 0 && !send.isDone()) {
            Thread.onSpinWait();
        }
        return !send.isDone();
    }

    /**
     * Posts a send of memory of the pool in another thread, which moves the bytes there. It has
     * many pieces, since a copy of one piece goes on while its memory is freed.
     */
    private FutureTask<Long> sendElsewhere() {
        MemorySegment memory = toB.allocate(PIECES * PIECE_BYTES);
        memory.fill((byte) 7);
        MemorySegment[] pieces = new MemorySegment[PIECES];
        Arrays.setAll(pieces, i -> memory.asSlice(i * PIECE_BYTES, PIECE_BYTES));
        CompletionContext from = ofA;
        PeerAddress to = toB;
        FutureTask<Long> send =
                new FutureTask<>(
                        () ->
                                from.postSendList(
                                        to,
                                        pieces,
                                        memory.byteSize(),
                                        TAG,
                                        null,
                                        PostOptions.NONE));
        new Thread(send, "sender").start();
        return send;
    }
}

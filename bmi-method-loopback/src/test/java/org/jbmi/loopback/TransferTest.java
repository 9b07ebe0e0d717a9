package org.jbmi.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/** What may happen to a transfer while it runs, and to the operations around it. */
@Timeout(60)
class TransferTest {
    private static final long LARGE = 64L << 20;
    private static final int TAG = 3;

    private final LoopbackHub hub = new LoopbackHub();
    private final Completions done = Completions.ofCapacity(8);
    private Arena arena;
    private Bmi a;
    private Bmi b;
    private CompletionContext ofA;
    private CompletionContext ofB;
    private PeerAddress toA;
    private PeerAddress toB;

    @BeforeEach
    void open() {
        arena = Arena.ofShared();
        a = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://a").open();
        ofA = a.openContext();
        toB = a.lookup("loopback://b");
        openB();
    }

    private void openB() {
        b = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://b").open();
        ofB = b.openContext();
        toA = b.lookup("loopback://a");
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        arena.close();
        assertThat(hub.memberCount()).isZero();
    }

    /** Posts the send of a large message in another thread, which moves the bytes there. */
    private FutureTask<Long> sendElsewhere(MemorySegment from) {
        FutureTask<Long> send = new FutureTask<>(() -> ofA.postSend(toB, from, TAG));
        new Thread(send, "sender").start();
        return send;
    }

    @Test
    void cancelOfATransferIsARequestAndTheRealOutcomeComes() throws Exception {
        MemorySegment from = arena.allocate(LARGE, 64).fill((byte) 7);
        MemorySegment to = arena.allocate(LARGE, 64);
        boolean seen = false;
        for (int attempt = 0; attempt < 200 && !seen; attempt++) {
            to.fill((byte) 0);
            long id = ofB.postReceive(toA, to, TAG);
            FutureTask<Long> send = sendElsewhere(from);
            while (to.get(ValueLayout.JAVA_BYTE, 0) == 0 && !send.isDone()) {
                Thread.onSpinWait();
            }
            seen = ofB.cancel(id) == CancelOutcome.REQUESTED;
            assertThat(send.get()).isEqualTo(LARGE);
            assertThat(ofB.test(id, done, 10_000)).isOne();
            assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
            assertThat(done.sizeBytes(0)).isEqualTo(LARGE);
            assertThat(to.mismatch(from)).isEqualTo(-1);
        }
        assertThat(seen).as("a cancel hit a running transfer in one of many attempts").isTrue();
    }

    @Test
    void cancelOfATransferThatIsOverSaysSo() {
        for (int sizeBytes : new int[] {0, 1024, 2000}) {
            long id = ofB.postReceive(toA, arena.allocate(sizeBytes), TAG);
            assertThat(ofA.postSend(toB, arena.allocate(sizeBytes), TAG)).isEqualTo(sizeBytes);
            assertThat(ofB.cancel(id)).isEqualTo(CancelOutcome.ALREADY_DONE);
            assertThat(ofB.test(id, done, 1000)).isOne();
            assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        }
    }

    @Test
    void closeWaitsForARunningTransfer() throws Exception {
        MemorySegment from = arena.allocate(LARGE, 64).fill((byte) 7);
        MemorySegment to = arena.allocate(LARGE, 64);
        boolean seen = false;
        for (int attempt = 0; attempt < 200 && !seen; attempt++) {
            to.fill((byte) 0);
            long id = ofB.postReceive(toA, to, TAG);
            FutureTask<Long> send = sendElsewhere(from);
            while (to.get(ValueLayout.JAVA_BYTE, 0) == 0 && !send.isDone()) {
                Thread.onSpinWait();
            }
            seen = ofB.cancel(id) == CancelOutcome.REQUESTED;
            b.close();
            byte last = to.get(ValueLayout.JAVA_BYTE, LARGE - 1);
            assertThat(last).as("nothing writes after the close").isEqualTo((byte) 7);
            assertThat(send.get()).isEqualTo(LARGE);
            openB();
        }
        assertThat(seen).as("a close met a running transfer in one of many attempts").isTrue();
    }

    @Test
    void aBufferWhoseArenaIsClosedFailsBothSides() {
        MemorySegment gone;
        long receive;
        try (Arena closing = Arena.ofShared()) {
            gone = closing.allocate(1000);
            receive = ofB.postReceive(toA, gone, TAG);
        }
        long result = ofA.postSend(toB, arena.allocate(1000), TAG);
        assertThat(result).isEqualTo(ErrorCode.EFAULT.negativeValue());
        assertThat(ofB.test(receive, done, 1000)).isOne();
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.EFAULT);
    }

    @Test
    void aShortSendThatIsOverInItsPostNeedsNoOperation() {
        MemorySegment from = arena.allocate(1024).fill((byte) 5);
        MemorySegment to = arena.allocate(1024);
        try (Bmi small =
                Bmi.builder()
                        .attach(LoopbackHub.class, hub)
                        .listen("loopback://c")
                        .knob("bmi.maxOperations", "64")
                        .open()) {
            CompletionContext context = small.openContext();
            PeerAddress toSmall = b.lookup("loopback://c");
            PeerAddress fromSmall = small.lookup("loopback://b");
            for (int i = 0; i < 64; i++) {
                long pending = context.postReceive(fromSmall, arena.allocate(1), 100 + i);
                assertThat(PostResult.isPending(pending)).isTrue();
            }
            assertThat(context.postSend(fromSmall, from, TAG))
                    .as("no receive waits")
                    .isEqualTo(ErrorCode.ENOBUFS.negativeValue());
            long receive = ofB.postReceive(toSmall, to, TAG);
            assertThat(context.postSend(fromSmall, from, TAG)).isEqualTo(1024);
            assertThat(ofB.test(receive, done, 1000)).isOne();
            assertThat(done.sizeBytes(0)).isEqualTo(1024);
            assertThat(to.mismatch(from)).isEqualTo(-1);
        }
    }

    @Test
    void aShortSendAboveTheLimitOfItsSenderIsRefusedAlsoIfAReceiveWaits() {
        try (Bmi narrow =
                Bmi.builder()
                        .attach(LoopbackHub.class, hub)
                        .listen("loopback://narrow")
                        .knob("loopback.maxExpectedBytes", "100")
                        .open()) {
            CompletionContext context = narrow.openContext();
            PeerAddress fromNarrow = narrow.lookup("loopback://b");
            ofB.postReceive(b.lookup("loopback://narrow"), arena.allocate(1024), TAG);
            assertThat(context.postSend(fromNarrow, arena.allocate(101), TAG))
                    .isEqualTo(ErrorCode.EMSGSIZE.negativeValue());
            assertThat(context.postSend(fromNarrow, arena.allocate(100), TAG)).isEqualTo(100);
        }
    }

    /** Its bytes may be those of a block that another thread was given since. */
    @Test
    void aShortSendFromAFreedBlockIsRefusedAlsoIfAReceiveWaits() {
        MemorySegment block = toB.allocate(64);
        MemorySegment to = arena.allocate(64);
        assertThat(block).isNotNull();
        block.fill((byte) 7);
        long receive = ofB.postReceive(toA, to, TAG);
        assertThat(ofA.postSend(toB, block, TAG)).isEqualTo(64);
        assertThat(ofB.test(receive, done, 1000)).isOne();
        assertThat(to.get(ValueLayout.JAVA_BYTE, 63)).isEqualTo((byte) 7);

        receive = ofB.postReceive(toA, to, TAG);
        a.free(block); // the send is over, and holds it no more
        assertThat(ofA.postSend(toB, block, TAG)).isEqualTo(ErrorCode.EINVAL.negativeValue());
        assertThat(ofB.test(receive, done, 0)).isZero();
        assertThat(ofB.cancel(receive)).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(ofB.test(receive, done, 1000)).isOne();
    }

    /** With a receive that is too small, the receiver hears of it, and the sender does not. */
    @Test
    void aShortSendToAReceiveThatIsTooSmallIsStillOver() {
        long receive = ofB.postReceive(toA, arena.allocate(10), TAG);
        assertThat(ofA.postSend(toB, arena.allocate(11), TAG)).isEqualTo(11);
        assertThat(ofB.test(receive, done, 1000)).isOne();
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.EMSGSIZE);
    }

    @Test
    void anUnexpectedMessageWhoseArenaIsClosedHoldsNothing() {
        int limit = 8192;
        List<Long> waiting = new ArrayList<>();
        try (Arena closing = Arena.ofShared()) {
            MemorySegment memory = closing.allocate(limit);
            for (int i = 0; i < 200; i++) {
                waiting.add(ofA.postSendUnexpected(toB, memory, i));
            }
        }
        waiting.removeIf(PostResult::isCompleted);
        assertThat(waiting).isNotEmpty();
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        while (b.testUnexpected(one, 0) == 1) {
            one.free(0);
        }
        for (long id : waiting) {
            assertThat(ofA.test(id, done, 1000)).isOne();
            assertThat(done.outcome(0)).isEqualTo(ErrorCode.EFAULT);
        }
        assertThat(b.counters().find("loopback.unexpectedHeldBytes").get()).isZero();
        assertThat(ofA.postSendUnexpected(toB, arena.allocate(limit), 1)).isEqualTo(limit);
    }

    /**
     * Threads on both sides post, cancel and test at random; no message is lost, doubled or torn.
     */
    @Test
    void randomTrafficBothWays() throws Exception {
        long seed = System.nanoTime();
        AtomicBoolean stop = new AtomicBoolean();
        List<FutureTask<Long>> tasks = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            int tag = t;
            tasks.add(new FutureTask<>(() -> sender(a, toB, tag, seed + tag, stop)));
            tasks.add(new FutureTask<>(() -> receiver(b, toA, tag, seed - tag, stop)));
            tasks.add(new FutureTask<>(() -> sender(b, toA, tag, seed * 3 + tag, stop)));
            tasks.add(new FutureTask<>(() -> receiver(a, toB, tag, seed * 5 - tag, stop)));
        }
        for (FutureTask<Long> task : tasks) {
            new Thread(task, "traffic").start();
        }
        Thread.sleep(1500);
        stop.set(true);
        for (int i = 0; i < tasks.size(); i += 2) {
            long sent = tasks.get(i).get();
            long received = tasks.get(i + 1).get();
            assertThat(received).as("seed " + seed).isEqualTo(sent).isPositive();
        }
        assertThat(a.counters().find("bmi.operations").get()).isZero();
        assertThat(b.counters().find("bmi.operations").get()).isZero();
    }

    /** Sends rising numbers; a cancelled one is sent again; the number 0 at the end says so. */
    private static long sender(Bmi bmi, PeerAddress peer, int tag, long seed, AtomicBoolean stop) {
        Random random = new Random(seed);
        Completions room = Completions.ofCapacity(1);
        try (CompletionContext context = bmi.openContext();
                Arena memory = Arena.ofShared()) {
            MemorySegment buffer = memory.allocate(4096, 64);
            long number = 0;
            while (!stop.get()) {
                long next = number + 1;
                number += deliver(context, peer, tag, buffer, next, random, room) ? 1 : 0;
            }
            while (!deliver(context, peer, tag, buffer, 0, new Random(1), room)) {
                Thread.onSpinWait();
            }
            return number;
        }
    }

    private static boolean deliver(
            CompletionContext context,
            PeerAddress peer,
            int tag,
            MemorySegment buffer,
            long number,
            Random random,
            Completions room) {
        MemorySegment message = buffer.asSlice(0, 16 + random.nextInt(4000));
        message.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
        message.set(ValueLayout.JAVA_LONG_UNALIGNED, message.byteSize() - 8, number);
        long result = context.postSend(peer, message, tag);
        if (PostResult.isPending(result) && number != 0 && random.nextInt(4) == 0) {
            context.cancel(result);
        }
        return finish(context, result, room);
    }

    private static boolean finish(CompletionContext context, long result, Completions room) {
        if (PostResult.isPending(result)) {
            while (context.test(result, room, 100) == 0) {
                Thread.onSpinWait();
            }
            assertThat(room.outcome(0).negativeValue()).isIn(0, ErrorCode.ECANCEL.negativeValue());
            return room.outcome(0).isSuccess();
        }
        assertThat(result).isNotNegative();
        return true;
    }

    private static long receiver(
            Bmi bmi, PeerAddress peer, int tag, long seed, AtomicBoolean stop) {
        Random random = new Random(seed);
        Completions room = Completions.ofCapacity(1);
        try (CompletionContext context = bmi.openContext();
                Arena memory = Arena.ofShared()) {
            MemorySegment buffer = memory.allocate(4096, 64);
            long expected = 1;
            while (true) {
                long result = context.postReceive(peer, buffer, tag);
                if (PostResult.isPending(result) && random.nextInt(4) == 0) {
                    context.cancel(result);
                }
                if (!finish(context, result, room)) {
                    continue;
                }
                long size = PostResult.isPending(result) ? room.sizeBytes(0) : result;
                long number = buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
                long tail = buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, size - 8);
                assertThat(tail).isEqualTo(number);
                if (number == 0) {
                    assertThat(stop.get()).isTrue();
                    return expected - 1;
                }
                assertThat(number).isEqualTo(expected);
                expected++;
            }
        }
    }
}

package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.pool.MemoryPool;
import org.jbmi.mempool.pool.PoolAllocator;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zoid.common.QuietHost;
import org.jbmi.zoid.common.QuietLine;
import org.jbmi.zoid.common.SessionGuard;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** A server's operations with a real pool, and an engine that registers every post. */
abstract class OperationsFixture {
    static final long POOL = 4096;
    static final int MAX_OPERATIONS = 64;
    static final long NOW_NS = 1000;
    static final int CLOSED = ErrorCode.EPIPE.negativeValue();
    private static final long COUNTERS_BYTES = 1 << 16;
    private static final SegmentGeometry GEOMETRY =
            new SegmentGeometry(4, 16, 16, 4, 64, 4096, POOL);

    /** What was reported, in its order. */
    final Map<Operation, Integer> over = new LinkedHashMap<>();

    final Host host = new Host();
    final Door door = new Door();

    final SessionGuard guard = new SessionGuard(new SpinLock());
    private final MemoryPool pool = MemoryPool.privatePool(POOL);

    /** The memory of the counters; once it is closed, whatever counts fails. */
    final Arena counted = Arena.ofShared();

    private final Counters registry =
            Counters.over(counted.allocate(COUNTERS_BYTES, Long.BYTES << 5));
    private final ServerCounters counters = new ServerCounters(registry);
    private final SharedMemory memory = new SegmentMemory(pool.segment());
    final ServerInbox inbox =
            new ServerInbox(host, counters, new SegmentMap(GEOMETRY), memory, pool.segment(), POOL);
    final ServerOperations operations =
            new ServerOperations(
                    host,
                    door,
                    guard,
                    new Placement(pool, memory, counters, guard),
                    counters,
                    () -> NOW_NS,
                    new SessionLimits(POOL, 4096, 64, 16, MAX_OPERATIONS),
                    1);
    private int lastTag;

    @BeforeEach
    void open() {
        inbox.opened(operations);
    }

    @AfterEach
    void nothingIsLeft() {
        operations.endAll(CLOSED);
        operations.runDeferred();
        assertThat(operations.pending()).isZero();
        pool.close();
        if (counted.scope().isAlive()) {
            counted.close();
        }
    }

    /** Whether the engine is here, and answers at once. */
    boolean isHost() {
        return false;
    }

    static final class TestOperation extends Operation {
        TestOperation(MethodAddress to, int tag, int bytes) {
            this(to, tag, MemorySegment.ofArray(new byte[bytes]));
        }

        TestOperation withoutWaiting() {
            neverWaits = true;
            return this;
        }

        TestOperation expiresIn(long leftNs) {
            hasDeadline = true;
            deadlineNs = NOW_NS + leftNs;
            return this;
        }

        TestOperation sends() {
            kind = OperationKind.SEND;
            return this;
        }

        TestOperation(MethodAddress to, int tag, MemorySegment... memory) {
            this.kind = OperationKind.RECEIVE;
            this.address = to;
            this.tag = tag;
            for (MemorySegment each : memory) {
                this.sizeBytes += each.byteSize();
            }
            this.buffer = memory.length == 1 ? memory[0] : null;
            this.list = memory;
            this.bufferCount = memory.length;
        }
    }

    ZoidAddress client(int session, int generation) {
        inbox.clientAttached(session, generation);
        return Objects.requireNonNull(inbox.client(session, generation));
    }

    Operation posted(ZoidAddress to, int bytes) {
        Operation operation = operation(to, bytes);
        assertThat(operations.post(operation)).isEqualTo(Method.PENDING);
        operations.progress();
        return operation;
    }

    TestOperation operation(ZoidAddress to, int bytes) {
        return new TestOperation(to, ++lastTag, bytes);
    }

    /** The engine says that an operation that it has is over. */
    void completed(Operation operation) {
        ServerOperation slot = (ServerOperation) Objects.requireNonNull(operation.attachment());
        inbox.completion(slot.reference(), 0, 0, 1, 1);
    }

    MemorySegment take(long bytes) {
        return Objects.requireNonNull(pool.allocate(bytes));
    }

    /** Tries to free a block; returns the allocator's answer. */
    int freed(MemorySegment block) {
        return pool.free(block);
    }

    void free(MemorySegment block) {
        assertThat(pool.free(block)).isEqualTo(PoolAllocator.FREED);
        operations.memoryFreed();
        operations.progress();
    }

    final class Host extends QuietHost {
        /** Whether there is no room in the heap for what the next wake-up needs. */
        boolean failsOnce;

        @Override
        public void complete(Operation operation, int error, long sizeBytes) {
            assertThat(over.put(operation, error)).as("reported before").isNull();
        }

        @Override
        public void wake() {
            if (failsOnce) {
                failsOnce = false;
                throw new OutOfMemoryError("played");
            }
        }
    }

    /** An engine that registers every post, and says no more. */
    final class Door implements EngineDoor, QuietLine {
        /** Posts whose answers nobody waits for. */
        int notes;

        int calls;
        int ends;

        /** What the engine says at once to a post whose answer nobody waits for. */
        Consumer<ServerPost> onNote = post -> {};

        /** Whether a post is not answered in time. */
        boolean isLate;

        /** Whether there is no room in the heap for a call, nor for words about that. */
        boolean isHeapFull;

        @Override
        public PeerLine line() {
            return this;
        }

        @Override
        public int post(ServerPost post, long timeoutNs) {
            post.begin();
            if (timeoutNs == WITHOUT_WAITING) {
                notes++;
                onNote.accept(post);
                return post.isAnswered() ? OK : TIMED_OUT;
            }
            checkHeap();
            calls++;
            if (isLate) {
                return TIMED_OUT;
            }
            post.answer(ServerEvents.REGISTERED, 77);
            return OK;
        }

        /** What becomes of a send that may be over at once. */
        int atOnce = NOT_AT_ONCE;

        /** What other threads do before its outcome is known. */
        Runnable meanwhile = () -> {};

        @Override
        public int sendAtOnce(
                int session,
                int generation,
                int tag,
                long offset,
                long bytes,
                Operation operation) {
            meanwhile.run();
            boolean isNamed = atOnce == IN_DOUBT && inbox.inDoubt(operation, 77) > 0;
            return atOnce == IN_DOUBT && !isNamed ? UNDECIDED : atOnce;
        }

        /** What other threads do while the engine is asked to cancel. */
        Runnable whileCancelled = () -> {};

        @Override
        public int cancel(long reference, long zoidId, boolean mayWait) {
            calls++;
            whileCancelled.run();
            return ServerEvents.CANCELLED;
        }

        @Override
        public boolean answersAtOnce() {
            return isHost();
        }

        @Override
        public void unexpectedFree(long offset) {}

        @Override
        public int progress() {
            return 0;
        }

        @Override
        public void finish(long timeoutNs) {}

        @Override
        public void close(long mostNs) {}

        @Override
        public void end(String reason) {
            ends++;
            inbox.onBroken(reason);
            checkHeap();
        }

        private void checkHeap() {
            if (isHeapFull) {
                throw new OutOfMemoryError("played");
            }
        }
    }
}

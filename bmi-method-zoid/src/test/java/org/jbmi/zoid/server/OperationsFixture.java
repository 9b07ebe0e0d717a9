package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.MemoryPool;
import org.jbmi.mempool.PoolAllocator;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SystemNanoClock;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.channel.CommandChannel;
import org.jbmi.zbmi.protocol.HostKind;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.SessionLimits;
import org.jbmi.zbmi.protocol.Welcome;
import org.jbmi.zoid.common.MessagePool;
import org.jbmi.zoid.common.QuietChannel;
import org.jbmi.zoid.common.QuietHost;
import org.jbmi.zoid.common.SessionGuard;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** A server's operations with a real pool, and an engine that registers every post. */
abstract class OperationsFixture {
    static final long POOL = 4096;
    static final int CLOSED = ErrorCode.EPIPE.negativeValue();
    private static final SegmentGeometry GEOMETRY =
            new SegmentGeometry(4, 16, 16, 4, 64, 4096, POOL);

    /** What was reported, in its order. */
    final Map<Operation, Integer> over = new LinkedHashMap<>();

    final Host host = new Host();
    final Channel channel = new Channel();

    /** How many messages more have room in the heap. */
    int messagesLeft = Integer.MAX_VALUE;

    private final SpinLock lock = new SpinLock();
    final SessionGuard guard = new SessionGuard(lock);
    final ServerNotes notes = new ServerNotes(channel, guard, new MessagePool(lock, this::message));
    private final MemoryPool pool = MemoryPool.privatePool(POOL);
    private final Counters registry = Counters.inMemory();
    private final ServerCounters counters = new ServerCounters(registry);
    final ServerClients clients = new ServerClients(GEOMETRY.maxClients(), host);
    final ServerInbox inbox =
            new ServerInbox(
                    host, counters, clients, new SegmentMap(GEOMETRY), pool.segment(), POOL);
    final ServerOperations operations =
            new ServerOperations(
                    host,
                    channel,
                    guard,
                    notes,
                    new Placement(pool, new SegmentMemory(pool.segment()), counters),
                    counters,
                    SystemNanoClock.INSTANCE,
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
    }

    /** Where the engine is. */
    HostKind hostKind() {
        return HostKind.DAEMON;
    }

    private Message message() {
        if (messagesLeft == 0) {
            throw new OutOfMemoryError("played");
        }
        messagesLeft--;
        return new Message();
    }

    static final class TestOperation extends Operation {
        TestOperation(MethodAddress to, int tag, int bytes) {
            this(to, tag, MemorySegment.ofArray(new byte[bytes]));
        }

        TestOperation withoutWaiting() {
            neverWaits = true;
            return this;
        }

        TestOperation(MethodAddress to, int tag, MemorySegment memory) {
            this.kind = OperationKind.RECEIVE;
            this.address = to;
            this.tag = tag;
            this.sizeBytes = memory.byteSize();
            this.buffer = memory;
            this.bufferCount = 1;
        }
    }

    ZoidAddress client(int session, int generation) {
        inbox.onEvent(ServerEvents.clientAttached(new Message(), session, generation));
        return Objects.requireNonNull(clients.of(session, generation));
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
        inbox.onEvent(ServerEvents.completion(new Message(), slot.reference(), 0, 0, 1, 1));
    }

    MemorySegment take(long bytes) {
        return Objects.requireNonNull(pool.allocate(bytes));
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
    final class Channel implements CommandChannel, QuietChannel {
        int notes;
        int calls;
        int ends;

        /** What the engine says at once to what it is told. */
        Consumer<Message> onNote = note -> {};

        /** Whether a post is not answered in time. */
        boolean isLate;

        /** Whether there is no room in the heap for a call, nor for words about that. */
        boolean isHeapFull;

        @Override
        public Welcome welcome() {
            SessionLimits limits = new SessionLimits(POOL, POOL, 64, 16, 50);
            return new Welcome(0, 1, hostKind(), 1, 0, "none", 1, GEOMETRY, limits);
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            checkHeap();
            calls++;
            if (request.kind() == ServerRequests.CANCEL) {
                ServerEvents.cancelReply(reply, 0, 0, ServerEvents.CANCELLED);
                return OK;
            }
            ServerEvents.registered(reply, 0, 0, 77);
            return isLate ? TIMED_OUT : OK;
        }

        @Override
        public int note(Message note, long timeoutNs) {
            notes++;
            onNote.accept(note);
            return OK;
        }

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

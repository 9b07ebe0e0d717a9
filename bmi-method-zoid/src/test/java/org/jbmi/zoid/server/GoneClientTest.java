package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.MemoryPool;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SystemNanoClock;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.channel.CommandChannel;
import org.jbmi.zbmi.protocol.HostKind;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.SessionLimits;
import org.jbmi.zbmi.protocol.Welcome;
import org.jbmi.zoid.common.QuietChannel;
import org.jbmi.zoid.common.QuietHost;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** What waits for memory ends with its client, of which the engine cannot know. */
@Timeout(30)
class GoneClientTest {
    private static final long POOL = 4096;
    private static final int CLOSED = ErrorCode.EPIPE.negativeValue();
    private static final SegmentGeometry GEOMETRY =
            new SegmentGeometry(4, 16, 16, 4, 64, 4096, POOL);

    /** What was reported, in its order. */
    private final Map<Operation, Integer> over = new LinkedHashMap<>();

    private final MemoryPool pool = MemoryPool.privatePool(POOL);
    private final Counters registry = Counters.inMemory();
    private final ServerCounters counters = new ServerCounters(registry);
    private final Host host = new Host();
    private final Channel channel = new Channel();
    private final ServerClients clients = new ServerClients(GEOMETRY.maxClients(), host);
    private final ServerInbox inbox =
            new ServerInbox(
                    host, counters, clients, new SegmentMap(GEOMETRY), pool.segment(), POOL);
    private final ServerOperations operations =
            new ServerOperations(
                    host,
                    channel,
                    new ServerNotes(channel),
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

    private static final class TestOperation extends Operation {
        TestOperation(MethodAddress to, int tag, int bytes) {
            this.kind = OperationKind.RECEIVE;
            this.address = to;
            this.tag = tag;
            this.sizeBytes = bytes;
            this.buffer = MemorySegment.ofArray(new byte[bytes]);
            this.bufferCount = 1;
        }
    }

    private ZoidAddress client(int session, int generation) {
        inbox.onEvent(ServerEvents.clientAttached(new Message(), session, generation));
        return Objects.requireNonNull(clients.of(session, generation));
    }

    private Operation posted(ZoidAddress to, int bytes) {
        Operation operation = new TestOperation(to, ++lastTag, bytes);
        assertThat(operations.post(operation)).isEqualTo(Method.PENDING);
        operations.progress();
        return operation;
    }

    private void gone(int session, int generation) {
        inbox.onEvent(ServerEvents.clientGone(new Message(), session, generation, CLOSED));
        inbox.afterDispatch();
        operations.progress();
    }

    private MemorySegment take(long bytes) {
        return Objects.requireNonNull(pool.allocate(bytes));
    }

    private void free(MemorySegment block) {
        pool.free(block);
        operations.memoryFreed();
        operations.progress();
    }

    @Test
    void whatWaitsForMemoryEndsWithItsClientAndNothingElseDoes() {
        ZoidAddress leaving = client(1, 1);
        ZoidAddress staying = client(2, 2);
        Operation sent = posted(leaving, 64);
        MemorySegment rest = take(POOL / 2);
        Operation first = posted(leaving, (int) POOL);
        Operation second = posted(leaving, (int) POOL / 2);
        Operation other = posted(staying, (int) POOL / 2);
        gone(1, 1);
        assertThat(over).containsOnly(Map.entry(first, CLOSED), Map.entry(second, CLOSED));
        assertThat(operations.post(new TestOperation(leaving, 9, 8))).isEqualTo(CLOSED);
        assertThat(channel.notes).as("what waited reached the engine").isZero();
        free(rest);
        assertThat(channel.notes).as("the other client's has memory").isEqualTo(1);
        assertThat(over).as("the engine has the word on these").doesNotContainKeys(sent, other);
    }

    @Test
    void theNextClientOfTheSessionKeepsWhatWaitsForIt() {
        ZoidAddress former = client(1, 1);
        MemorySegment all = take(POOL);
        Operation ofFormer = posted(former, 64);
        ZoidAddress next = client(1, 2);
        Operation ofNext = posted(next, 64);
        gone(1, 1);
        assertThat(over).containsOnly(Map.entry(ofFormer, CLOSED));
        free(all);
        assertThat(channel.notes).isEqualTo(1);
        assertThat(over).doesNotContainKey(ofNext);
    }

    @Test
    void anAddressThatTheProgramHasDroppedIsStillThatOfItsClient() {
        ZoidAddress dropped = client(1, 1);
        take(POOL);
        Operation waiting = posted(dropped, 64);
        clients.dropped(dropped);
        gone(1, 1);
        assertThat(over).containsOnly(Map.entry(waiting, CLOSED));
    }

    @Test
    void oneThatNobodyMayPassAnyMoreLetsTheOthersGo() {
        ZoidAddress leaving = client(1, 1);
        ZoidAddress staying = client(2, 2);
        take(64);
        posted(leaving, (int) POOL);
        for (int i = 0; i < NoMemoryQueue.MAX_PASSED; i++) {
            posted(staying, 16);
        }
        assertThat(channel.notes).as("have passed it").isEqualTo(NoMemoryQueue.MAX_PASSED);
        posted(staying, 16);
        assertThat(channel.notes).as("must wait").isEqualTo(NoMemoryQueue.MAX_PASSED);
        gone(1, 1);
        assertThat(channel.notes).isEqualTo(NoMemoryQueue.MAX_PASSED + 1);
    }

    @Test
    void aPostThatCrossesTheEndOfItsClientEndsAsWell() throws InterruptedException {
        ZoidAddress leaving = client(1, 1);
        Operation before = posted(leaving, 64);
        ServerOperation slot = (ServerOperation) Objects.requireNonNull(before.attachment());
        inbox.onEvent(ServerEvents.completion(new Message(), slot.reference(), 0, 0, 1, 1));
        inbox.afterDispatch();
        assertThat(over).containsOnlyKeys(before); // its slot is the next to be used
        take(POOL);
        Operation crossing = new TestOperation(leaving, 2, 64);
        Thread poster = new Thread(() -> operations.post(crossing));
        synchronized (slot) {
            poster.start();
            while (poster.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait(); // it has seen that the client is there
            }
            gone(1, 1);
        }
        poster.join();
        inbox.afterDispatch();
        assertThat(over).containsEntry(crossing, CLOSED);
    }

    private final class Host extends QuietHost {
        @Override
        public void complete(Operation operation, int error, long sizeBytes) {
            assertThat(over.put(operation, error)).as("reported before").isNull();
        }
    }

    /** An engine that registers every post, and says no more. */
    private static final class Channel implements CommandChannel, QuietChannel {
        private int notes;

        @Override
        public Welcome welcome() {
            SessionLimits limits = new SessionLimits(POOL, POOL, 64, 16, 50);
            return new Welcome(0, 1, HostKind.DAEMON, 1, 0, "none", 1, GEOMETRY, limits);
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            ServerEvents.registered(reply, 0, 0, 77);
            return OK;
        }

        @Override
        public int note(Message note, long timeoutNs) {
            notes++;
            return OK;
        }
    }
}

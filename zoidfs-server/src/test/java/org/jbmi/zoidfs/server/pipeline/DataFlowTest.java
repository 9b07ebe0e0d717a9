package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.RingBuffer;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.ReplyRoom;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

/** A step of a read or write that throws: the call is answered, or its client let go. */
@Timeout(60)
class DataFlowTest implements DataFlow.Owner {
    private static final int TAG = 7;

    @TempDir private Path folder;
    private final LoopbackHub hub = new LoopbackHub();
    private final RingBuffer<Outbound> out = RingBuffer.createSingleProducer(Outbound::new, 64);
    private final Deque<DiskTask> tasks = new ArrayDeque<>();
    private final List<Integer> replies = new ArrayList<>();
    private int abandoned;
    private int over;
    private int failures;
    private long seen;
    private Bmi server;
    private Bmi client;
    private PeerAddress peer;
    private DataFlow flow;
    private ExportRoot root;
    private SystemCalls calls;

    @BeforeEach
    void start() throws IOException {
        server = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://files").open();
        client = Bmi.builder().attach(LoopbackHub.class, hub).open();
        PeerAddress address = client.lookup("loopback://files");
        client.openContext().postSendUnexpected(address, MemorySegment.ofArray(new byte[4]), TAG);
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        while (server.testUnexpected(messages, 100) == 0) {
            Thread.onSpinWait();
        }
        peer = messages.peer(0);
        calls = SystemCalls.bind();
        root = new ExportRoot(ExportSettings.of(folder, ExportKey.random()), calls);
        ServerCounters counters = new ServerCounters();
        FileQueues queues = new FileQueues(root, counters, 2, this::work, (batch, handle) -> false);
        // Without a turn nothing is posted at once, so all is to be seen on the ring.
        Feed feed = new Feed(RingBuffer.createMultiProducer(Inbound::new, 64));
        PostStage posts = new PostStage(server.openContext(), 1_000, feed, call -> {});
        flow =
                new DataFlow(
                        server,
                        new Outlet(out, posts, new ReplyRoom(1 << 20)),
                        queues,
                        new Appends(root, queues),
                        Limits.DEFAULT,
                        this::work,
                        counters,
                        this);
    }

    @AfterEach
    void stop() {
        root.close(calls);
        client.close();
        server.close();
    }

    private void work(DiskTask task) {
        if (failures > 0) {
            failures--;
            throw new IllegalStateException("planted by the test");
        }
        tasks.add(task);
    }

    @Override
    public void reply(Call call, Reply reply) {
        replies.add(reply.status());
    }

    @Override
    public void abandon(Call call) {
        abandoned++;
    }

    @Override
    public void over(Call call) {
        over++;
    }

    /** A call on a handle that is not ours, whose data is zeros that a worker makes. */
    private Call call(Operation operation, Transfer transfer) {
        Call call = new Call(peer, TAG, System.nanoTime());
        call.decoded(Request.moving(operation, FileHandle.NONE, transfer, Hints.NONE));
        call.status = Status.STALE;
        return call;
    }

    /** Does what workers and the posting stage do, until nothing is left. */
    private List<Outbound.Kind> play() {
        List<Outbound.Kind> posted = new ArrayList<>();
        boolean some = true;
        while (some) {
            some = false;
            for (DiskTask task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run(calls);
                task.done();
                some = true;
            }
            for (; seen <= out.getCursor(); seen++) {
                Outbound event = out.get(seen);
                posted.add(event.kind);
                DataMove move = Objects.requireNonNull(event.move);
                flow.moved(move, ErrorCode.SUCCESS, move.message.byteSize());
                some = true;
            }
        }
        return posted;
    }

    @Test
    void aReadThatCannotBeStartedOnceSendsItsDataAndIsAnswered() {
        failures = 1;
        flow.arrived(call(Operation.READ, Transfer.of(0, 30, 10)));
        flow.arrived(call(Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        assertThat(play())
                .containsExactly(
                        Outbound.Kind.SEND,
                        Outbound.Kind.SEND,
                        Outbound.Kind.SEND,
                        Outbound.Kind.SEND);
        assertThat(replies).containsExactlyInAnyOrder(Status.STALE, Status.STALE);
        assertThat(over).isEqualTo(2);
    }

    @Test
    void aReadThatCannotBeStartedAtAllLosesItsClientAndNothingElse() {
        failures = 2;
        flow.arrived(call(Operation.READ, Transfer.of(0, 30, 10)));
        flow.admit();
        assertThat(play()).isEmpty();
        assertThat(abandoned).isEqualTo(1);
        assertThat(over).isEqualTo(1);
        assertThat(server.findPeer(peer.id())).isNull();
    }
}

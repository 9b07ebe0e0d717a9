package org.jbmi.zoidfs.server.pipeline;

import com.lmax.disruptor.RingBuffer;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileTree;
import org.jbmi.zoidfs.server.files.ReplyRoom;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

/**
 * A data flow without threads: the test does what workers and the posting stage do, and hears of
 * each end.
 */
abstract class FlowBench implements DataFlow.Owner {
    static final int TAG = 7;
    static final int MESSAGE_BYTES = 33;
    static final int NONE_IS_LATE = -1;
    static final Hints APPEND = Hints.of(Hints.ATOMIC_APPEND, "1");

    /** Where {@link SmallDisk} has no place for a byte. */
    static final long FAR = 1L << 62;

    @TempDir Path folder;
    final LoopbackHub hub = new LoopbackHub();
    final RingBuffer<Outbound> out = RingBuffer.createSingleProducer(Outbound::new, 64);
    final Deque<DiskTask> tasks = new ArrayDeque<>();
    final List<Integer> replies = new ArrayList<>();
    final List<String> appended = new ArrayList<>();
    int abandoned;
    int over;
    int failures;
    long seen;
    long lateIndex = NONE_IS_LATE;
    @Nullable DataMove late;
    Bmi server;
    Bmi client;
    PeerAddress peer;
    DataFlow flow;
    FileQueues queues;
    ExportRoot root;
    SystemCalls calls;

    @BeforeEach
    void start() throws IOException {
        server = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://files").open();
        connect();
        calls = new SmallDisk(SystemCalls.bind());
        root = new ExportRoot(ExportSettings.of(folder, ExportKey.random()), calls);
        ServerCounters counters = new ServerCounters();
        queues = new FileQueues(root, counters, 2, this::work, (batch, handle) -> false);
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

    /** A new client, whose peer is that of calls from now on. */
    void connect() {
        client = Bmi.builder().attach(LoopbackHub.class, hub).open();
        PeerAddress address = client.lookup("loopback://files");
        client.openContext().postSendUnexpected(address, MemorySegment.ofArray(new byte[4]), TAG);
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        while (server.testUnexpected(messages, 100) == 0) {
            Thread.onSpinWait();
        }
        peer = messages.peer(0);
    }

    @AfterEach
    void stop() {
        root.close(calls);
        client.close();
        server.close();
    }

    void work(DiskTask task) {
        if (failures > 0) {
            failures--;
            throw new IllegalStateException("planted by the test");
        }
        tasks.add(task);
    }

    @Override
    public void reply(Call call, Reply reply) {
        replies.add(reply.status());
        String offset = reply.hints().get(Hints.ATOMIC_APPEND_OFFSET);
        if (offset != null) {
            appended.add(offset.replaceFirst("^0+(?=.)", ""));
        }
    }

    @Override
    public void abandon(Call call) {
        abandoned++;
    }

    @Override
    public void over(Call call) {
        over++;
    }

    /** A disk on which no file is long. */
    private static final class SmallDisk extends SystemCalls {
        SmallDisk(SystemCalls real) {
            super(real);
        }

        @Override
        public long write(int file, MemorySegment from, long offset) {
            return offset >= FAR ? -Errno.EFBIG : super.write(file, from, offset);
        }

        @Override
        public long moveList(
                boolean writing, int file, MemorySegment[] list, int count, long offset) {
            return offset >= FAR
                    ? -Errno.EFBIG
                    : super.moveList(writing, file, list, count, offset);
        }
    }

    /** A call on a handle that is not ours, whose data is zeros that a worker makes. */
    Call call(Operation operation, Transfer transfer) {
        return call(peer, operation, transfer);
    }

    static Call call(PeerAddress peer, Operation operation, Transfer transfer) {
        Call call = new Call(peer, TAG, System.nanoTime());
        call.decoded(Request.moving(operation, FileHandle.NONE, transfer, Hints.NONE));
        call.status = Status.STALE;
        return call;
    }

    /** The same client, for which the pool has no room: it has room in short pieces only. */
    PeerAddress withoutRoom() {
        return (PeerAddress)
                Proxy.newProxyInstance(
                        PeerAddress.class.getClassLoader(),
                        new Class<?>[] {PeerAddress.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("allocate")
                                        ? null
                                        : method.invoke(peer, arguments));
    }

    /** A write of 100 bytes, numbered from 1, in messages of 33 bytes. */
    void write(LongList starts, LongList sizes) throws IOException {
        write(file(), new Transfer(LongList.of(100), starts, sizes, MESSAGE_BYTES), Hints.NONE);
    }

    FileHandle file() throws IOException {
        Files.createFile(folder.resolve("f"));
        Request lookup =
                Request.onNames(Operation.LOOKUP, FileSpec.path("/f"), null, null, Hints.NONE);
        return Objects.requireNonNull(new FileTree(root).run(calls, lookup, 0).handle());
    }

    void write(FileHandle handle, Transfer transfer, Hints hints) {
        Call call = new Call(peer, TAG, System.nanoTime());
        call.decoded(Request.moving(Operation.WRITE, handle, transfer, hints));
        flow.arrived(call);
        flow.admit();
    }

    static byte[] bytes(int count, int first) {
        byte[] some = new byte[count];
        for (int i = 0; i < count; i++) {
            some[i] = (byte) (first + i);
        }
        return some;
    }

    static void fill(DataMove move) {
        int size = (int) move.message.byteSize();
        byte[] part = bytes(size, (int) move.index * MESSAGE_BYTES + 1);
        move.message.copyFrom(MemorySegment.ofArray(part));
    }

    byte[] inFile(int from, int to) throws IOException {
        return Arrays.copyOfRange(Files.readAllBytes(folder.resolve("f")), from, to);
    }

    void tellLate(ErrorCode outcome) {
        DataMove move = Objects.requireNonNull(late);
        lateIndex = NONE_IS_LATE;
        flow.moved(move, outcome, move.message.byteSize());
    }

    /** Does what workers and the posting stage do, until only the late message is left. */
    List<Outbound.Kind> play() {
        List<Outbound.Kind> posted = new ArrayList<>();
        boolean some = true;
        while (some) {
            some = false;
            queues.flush();
            for (DiskTask task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run(calls);
                task.done();
                some = true;
            }
            some |= post(posted);
        }
        return posted;
    }

    /** Does what the posting stage does; true if there was something to do. */
    boolean post(List<Outbound.Kind> posted) {
        int before = posted.size();
        for (; seen <= out.getCursor(); seen++) {
            Outbound event = out.get(seen);
            posted.add(event.kind);
            DataMove move = Objects.requireNonNull(event.move);
            if (event.kind == Outbound.Kind.RECEIVE) {
                fill(move);
            }
            if (move.index == lateIndex) {
                late = move;
            } else {
                flow.moved(move, ErrorCode.SUCCESS, move.message.byteSize());
            }
        }
        return posted.size() > before;
    }

    /** The data arrives, and the disk does nothing. */
    void arrive() {
        post(new ArrayList<>());
        queues.flush();
    }
}

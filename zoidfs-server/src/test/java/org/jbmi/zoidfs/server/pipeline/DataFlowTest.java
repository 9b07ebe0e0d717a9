package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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
 * Steps that throw, after which the call is answered or its client let go; messages of which the
 * server hears late, after those that follow them; calls that get no memory; and the places of
 * appends.
 */
@Timeout(60)
class DataFlowTest implements DataFlow.Owner {
    private static final int TAG = 7;
    private static final int MESSAGE_BYTES = 33;
    private static final int NONE_IS_LATE = -1;
    private static final Hints APPEND = Hints.of(Hints.ATOMIC_APPEND, "1");

    /** Where {@link SmallDisk} has no place for a byte. */
    private static final long FAR = 1L << 62;

    @TempDir private Path folder;
    private final LoopbackHub hub = new LoopbackHub();
    private final RingBuffer<Outbound> out = RingBuffer.createSingleProducer(Outbound::new, 64);
    private final Deque<DiskTask> tasks = new ArrayDeque<>();
    private final List<Integer> replies = new ArrayList<>();
    private final List<String> appended = new ArrayList<>();
    private int abandoned;
    private int over;
    private int failures;
    private long seen;
    private long lateIndex = NONE_IS_LATE;
    private @Nullable DataMove late;
    private Bmi server;
    private Bmi client;
    private PeerAddress peer;
    private DataFlow flow;
    private FileQueues queues;
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
    private Call call(Operation operation, Transfer transfer) {
        return call(peer, operation, transfer);
    }

    private static Call call(PeerAddress peer, Operation operation, Transfer transfer) {
        Call call = new Call(peer, TAG, System.nanoTime());
        call.decoded(Request.moving(operation, FileHandle.NONE, transfer, Hints.NONE));
        call.status = Status.STALE;
        return call;
    }

    /** A write of 100 bytes, numbered from 1, in messages of 33 bytes. */
    private void write(LongList starts, LongList sizes) throws IOException {
        write(file(), new Transfer(LongList.of(100), starts, sizes, MESSAGE_BYTES), Hints.NONE);
    }

    private FileHandle file() throws IOException {
        Files.createFile(folder.resolve("f"));
        Request lookup =
                Request.onNames(Operation.LOOKUP, FileSpec.path("/f"), null, null, Hints.NONE);
        return Objects.requireNonNull(new FileTree(root).run(calls, lookup, 0).handle());
    }

    private void write(FileHandle handle, Transfer transfer, Hints hints) {
        Call call = new Call(peer, TAG, System.nanoTime());
        call.decoded(Request.moving(Operation.WRITE, handle, transfer, hints));
        flow.arrived(call);
        flow.admit();
    }

    private static byte[] bytes(int count, int first) {
        byte[] some = new byte[count];
        for (int i = 0; i < count; i++) {
            some[i] = (byte) (first + i);
        }
        return some;
    }

    private static void fill(DataMove move) {
        int size = (int) move.message.byteSize();
        byte[] part = bytes(size, (int) move.index * MESSAGE_BYTES + 1);
        move.message.copyFrom(MemorySegment.ofArray(part));
    }

    private byte[] inFile(int from, int to) throws IOException {
        return Arrays.copyOfRange(Files.readAllBytes(folder.resolve("f")), from, to);
    }

    private void tellLate(ErrorCode outcome) {
        DataMove move = Objects.requireNonNull(late);
        lateIndex = NONE_IS_LATE;
        flow.moved(move, outcome, move.message.byteSize());
    }

    /** Does what workers and the posting stage do, until only the late message is left. */
    private List<Outbound.Kind> play() {
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
    private boolean post(List<Outbound.Kind> posted) {
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
    private void arrive() {
        post(new ArrayList<>());
        queues.flush();
    }

    /** The last region overlaps the second one, and the two are in different messages. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void theLastOfOverlappingRegionsWinsAlsoIfAMessageIsLate(int index) throws IOException {
        lateIndex = index;
        write(LongList.of(200, 10, 500, 0), LongList.of(40, 30, 0, 30));
        play();
        tellLate(ErrorCode.SUCCESS);
        play();
        assertThat(replies).containsExactly(Status.OK);
        assertThat(over).isEqualTo(1);
        assertThat(inFile(200, 240)).isEqualTo(bytes(40, 1));
        assertThat(inFile(0, 30)).isEqualTo(bytes(30, 71));
        assertThat(inFile(30, 40)).isEqualTo(bytes(10, 61));
    }

    @Test
    void aLateMessageDelaysNoOtherIfNoRegionsOverlap() throws IOException {
        lateIndex = 1;
        write(LongList.of(200, 30, 500, 0), LongList.of(40, 30, 0, 30));
        play();
        assertThat(inFile(0, 30)).isEqualTo(bytes(30, 71));
        assertThat(inFile(30, 56)).containsOnly(0);
        tellLate(ErrorCode.SUCCESS);
        play();
        assertThat(replies).containsExactly(Status.OK);
        assertThat(inFile(30, 60)).isEqualTo(bytes(30, 41));
    }

    /** The message behind it waits for it, and must give its memory back. */
    @ParameterizedTest
    @EnumSource(names = {"EMSGSIZE", "EPROTO", "ECANCEL", "ETIMEDOUT", "ENOMEM"})
    void aLateMessageThatFailsEndsTheWrite(ErrorCode outcome) throws IOException {
        lateIndex = 1;
        write(LongList.of(200, 10, 500, 0), LongList.of(40, 30, 0, 30));
        play();
        tellLate(outcome);
        play();
        boolean isAnswered = outcome == ErrorCode.EMSGSIZE || outcome == ErrorCode.EPROTO;
        assertThat(replies).isEqualTo(isAnswered ? List.of(Status.INVAL) : List.of());
        assertThat(abandoned).isEqualTo(isAnswered ? 0 : 1);
        assertThat(over).isEqualTo(1);
        assertThat(inFile(0, 30)).containsOnly(0);
        // Else it would wait for the answer.
        boolean isGone = outcome == ErrorCode.ETIMEDOUT || outcome == ErrorCode.ENOMEM;
        assertThat(server.findPeer(peer.id()) == null).isEqualTo(isGone);
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

    /** The same client, for which the pool has no room: it has room in short pieces only. */
    private PeerAddress withoutRoom() {
        return (PeerAddress)
                Proxy.newProxyInstance(
                        PeerAddress.class.getClassLoader(),
                        new Class<?>[] {PeerAddress.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("allocate")
                                        ? null
                                        : method.invoke(peer, arguments));
    }

    /** Its data is under way for as long as the test lasts, in memory of the pool. */
    private void startOneThatLasts() {
        lateIndex = 0;
        flow.arrived(call(Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        play();
        lateIndex = NONE_IS_LATE;
    }

    @Test
    void aCallOfAClientThatHasGoneEndsThoughAnotherHoldsMemory() {
        startOneThatLasts();
        peer.drop();
        flow.arrived(call(Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        assertThat(play()).isEmpty();
        assertThat(abandoned).isEqualTo(1);
        assertThat(over).isEqualTo(1);
    }

    @Test
    void aCallThatWaitsForMemoryEndsWhenItsClientGoes() {
        startOneThatLasts();
        flow.arrived(call(withoutRoom(), Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        assertThat(play()).isEmpty();
        assertThat(over).isZero();
        peer.drop();
        flow.admit();
        assertThat(abandoned).isEqualTo(1);
        assertThat(over).isEqualTo(1);
    }

    @Test
    void aWriteThatMustFailIsNotAnsweredEarly() throws IOException {
        write(file(), Transfer.of(Long.MAX_VALUE, 10, 0), Hints.of(Hints.WRITE_BEHIND, "1"));
        play();
        assertThat(replies).containsExactly(Status.FBIG);
    }

    @Test
    void aCallThatWaitsForItsTurnEndsWhenItsClientGoes() {
        lateIndex = 0;
        long all = Limits.DEFAULT.memoryBytes(); // all is free
        flow.arrived(call(Operation.READ, Transfer.of(0, all, all / 2)));
        flow.arrived(call(Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        assertThat(over).isZero();
        peer.drop();
        flow.admit();
        assertThat(abandoned).isEqualTo(1);
        assertThat(over).isEqualTo(1);
    }

    @Test
    void newerCallsPassOneThatFindsNoRoomInThePoolALimitedNumberOfTimes() {
        startOneThatLasts();
        flow.arrived(call(withoutRoom(), Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        for (int passes = 1; passes <= PayloadMemory.MAX_PASSES; passes++) {
            flow.arrived(call(Operation.READ, Transfer.of(0, 10, 0)));
            flow.admit();
            play();
            assertThat(over).isEqualTo(passes);
        }
        flow.admit();
        assertThat(play()).containsExactly(Outbound.Kind.SEND);
        assertThat(over).isEqualTo(PayloadMemory.MAX_PASSES + 1);
    }

    /** The server has perhaps answered the write before the append has its place. */
    @Test
    void anAppendComesBehindAWriteThatWaitsForTheLookAtTheEnd() throws IOException {
        FileHandle file = file();
        write(file, Transfer.of(0, 1, 0), Hints.NONE);
        arrive();
        assertThat(tasks).hasSize(1);
        write(file, Transfer.of(0, 10, 0), APPEND);
        write(file, Transfer.of(1, 33, 0), Hints.NONE);
        arrive();
        play();
        assertThat(replies).containsExactly(Status.OK, Status.OK, Status.OK);
        assertThat(appended).containsExactly("34");
        assertThat(inFile(1, 34)).isEqualTo(bytes(33, 1));
        assertThat(inFile(34, 44)).isEqualTo(bytes(10, 1));
    }

    @Test
    void anAppendOfNothingLeavesTheNextOneItsPlace() throws IOException {
        FileHandle file = file();
        write(file, Transfer.of(0, 1, 0), Hints.NONE);
        arrive();
        LongList nothing = LongList.of(0);
        write(file, new Transfer(nothing, nothing, nothing, MESSAGE_BYTES), APPEND);
        write(file, Transfer.of(0, 10, 0), APPEND);
        play();
        assertThat(replies).containsExactly(Status.OK, Status.OK, Status.OK);
        assertThat(appended).containsExactly("1", "1");
        assertThat(inFile(1, 11)).isEqualTo(bytes(10, 1));
    }

    /** One append is under way all the time, so the server does not forget where the end is. */
    @Test
    void aWriteThatFailsFarAwayDoesNotMoveTheEnd() throws IOException {
        FileHandle file = file();
        lateIndex = 1;
        write(file, Transfer.of(0, 66, MESSAGE_BYTES), APPEND);
        play();
        write(file, Transfer.of(FAR, 10, 0), Hints.NONE);
        arrive();
        // This one comes behind the write and fails with it, but is not over.
        write(file, Transfer.of(0, 66, MESSAGE_BYTES), APPEND);
        play();
        assertThat(replies).containsExactly(Status.FBIG);
        write(file, Transfer.of(0, 10, 0), APPEND);
        play();
        assertThat(replies).containsExactly(Status.FBIG, Status.OK);
        assertThat(appended).containsExactly("66");
        assertThat(inFile(66, 76)).isEqualTo(bytes(10, 1));
    }

    /** Its place is free again, though another append is under way all the time. */
    @Test
    void anAppendWhoseClientGoesLeavesNoRoomInTheFile() throws IOException {
        FileHandle file = file();
        lateIndex = 1;
        write(file, Transfer.of(0, 66, MESSAGE_BYTES), APPEND);
        play();
        DataMove first = Objects.requireNonNull(late);
        write(file, Transfer.of(0, 50_000, 0), APPEND);
        lateIndex = 0;
        play();
        DataMove second = Objects.requireNonNull(late);
        assertThat(second).isNotSameAs(first);
        lateIndex = NONE_IS_LATE;
        flow.moved(second, ErrorCode.ECANCEL, 0);
        play();
        write(file, Transfer.of(0, 10, 0), APPEND);
        play();
        assertThat(appended).containsExactly("66");
        flow.moved(first, ErrorCode.SUCCESS, first.message.byteSize());
        play();
        assertThat(appended).containsExactly("66", "0");
        assertThat(Files.size(folder.resolve("f"))).isEqualTo(76);
    }
}

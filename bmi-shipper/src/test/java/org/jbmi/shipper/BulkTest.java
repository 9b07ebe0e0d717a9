package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Transfers over every method. */
@Timeout(60)
class BulkTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);

    private Setup setup;
    private ShipperServer server;
    private Shipper client;
    private PeerAddress address;
    private RemoteFunction<Move, Number> sum;
    private RemoteFunction<Move, Number> fill;

    private void open(String method) throws IOException {
        open(method, "64k");
    }

    private void open(String method, String chunkBytes) throws IOException {
        setup = Setup.of(method);
        server = Shipper.builder(setup.server).knob("shipper.chunkBytes", chunkBytes).server();
        server.register("sum", Move.class, Number.class, BulkTest::sumOf);
        server.register("fill", Move.class, Number.class, BulkTest::filled);
        server.start();
        client = Shipper.on(setup.client);
        address = setup.address();
        sum = client.function("sum", Move.class, Number.class);
        fill = client.function("fill", Move.class, Number.class);
    }

    private static Number sumOf(Call<Move, Number> call) {
        Move move = call.input();
        try (Lease lease = call.pull(move.data(), move.offset(), move.length())) {
            long sum = 0;
            for (byte b : lease.segment().toArray(ValueLayout.JAVA_BYTE)) {
                sum += b;
            }
            return new Number(sum);
        }
    }

    private static Number filled(Call<Move, Number> call) {
        Move move = call.input();
        try (Lease lease = call.lease(move.length())) {
            for (long i = 0; i < move.length(); i++) {
                lease.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i + move.offset()));
            }
            call.push(move.data(), move.offset(), lease.segment());
            return new Number(move.length());
        }
    }

    @AfterEach
    void close() throws IOException {
        if (setup != null) {
            client.close();
            server.close();
            assertThat(setup.server.counters().find("shipper.server.leasedBytes").get()).isZero();
            assertThat(setup.server.counters().find("shipper.server.brokenSessions").get())
                    .isZero();
            setup.close();
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void pullAndPushMoveWhatTheySay(String method) throws IOException {
        open(method);
        byte[] bytes = new byte[1_000_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 7);
        }
        long expected = 0;
        for (int i = 10; i < 10 + 900_000; i++) {
            expected += bytes[i];
        }
        try (BulkHandle data = client.expose(MemorySegment.ofArray(bytes), Permission.READ)) {
            assertThat(sum.call(address, new Move(data, 10, 900_000), SOON))
                    .isEqualTo(new Number(expected));
        }
        try (BulkHandle data = client.expose(MemorySegment.ofArray(bytes), Permission.WRITE)) {
            for (int length : new int[] {0, 1, 500, 4040, 4041, 65_536, 65_537, 700_000}) {
                fill.call(address, new Move(data, 3, length), SOON);
                for (int i = 0; i < length; i++) {
                    assertThat(bytes[3 + i]).isEqualTo((byte) (i + 3));
                }
            }
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aClientThatSleepsIsServed(String method) throws Exception {
        open(method);
        CompletableFuture<Long> moved = new CompletableFuture<>();
        CountDownLatch go = new CountDownLatch(1);
        server.register(
                "wait",
                Move.class,
                Number.class,
                call -> {
                    DeferredAnswer<Number> answer = call.defer();
                    go.await();
                    try (Lease lease = call.pull(call.input().data())) {
                        moved.complete(lease.segment().byteSize());
                    }
                    answer.complete(new Number(0));
                    return null;
                });
        try (BulkHandle data =
                client.expose(MemorySegment.ofArray(new byte[300_000]), Permission.READ)) {
            client.function("wait", Move.class, Number.class)
                    .forward(address, new Move(data, 0, 0));
            go.countDown();
            // No thread of the program is in the client from here on.
            assertThat(moved.get(20, TimeUnit.SECONDS)).isEqualTo(300_000);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void wrongHandlesAreRefusedAndCounted(String method) throws IOException {
        open(method);
        byte[] bytes = new byte[100];
        BulkHandle data = client.expose(MemorySegment.ofArray(bytes), Permission.READ);
        BulkHandle.Token guess = new BulkHandle.Token(data.key().high(), data.key().low() ^ 1);
        refused(
                sum,
                new BulkHandle(data.owner(), guess, 1, 100, Permission.READ),
                100,
                ErrorCode.EACCES);
        refused(
                sum,
                new BulkHandle(data.owner(), data.key(), 9, 100, Permission.READ),
                100,
                ErrorCode.ENOENT);
        refused(fill, data, 100, ErrorCode.EPERM);
        refused(
                fill,
                new BulkHandle(data.owner(), data.key(), 1, 100, Permission.WRITE),
                100,
                ErrorCode.EPERM);
        refused(
                fill,
                new BulkHandle(data.owner(), data.key(), 1, 1 << 20, Permission.WRITE),
                1 << 20,
                ErrorCode.EPERM);
        refused(sum, data, 101, ErrorCode.EFAULT);
        refused(
                sum,
                new BulkHandle(data.owner(), data.key(), 1, 1 << 20, Permission.READ),
                1 << 20,
                ErrorCode.EFAULT);
        refused(
                sum,
                new BulkHandle(guess, data.key(), 1, 100, Permission.READ),
                100,
                ErrorCode.EHOSTUNREACH);
        data.close();
        refused(sum, data, 100, ErrorCode.ENOENT);
        assertThat(setup.client.counters().find("shipper.client.bulkRefusals").get()).isEqualTo(6);
        assertThat(setup.server.counters().find("shipper.server.bulkRefusals").get()).isEqualTo(6);
        assertThat(bytes).containsOnly(0);
    }

    private void refused(
            RemoteFunction<Move, Number> function, BulkHandle data, long length, ErrorCode code) {
        assertThatThrownBy(() -> function.call(address, new Move(data, 0, length), SOON))
                .isInstanceOfSatisfying(
                        CallFailedException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void randomListsBehaveAsOneArray(String method) throws Exception {
        open(method, "4k"); // so that most transfers have more chunks than are posted at a time
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("BulkTest: -Dseed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        server.register(
                "copy",
                Move.class,
                Number.class,
                call -> {
                    Move move = call.input();
                    SplittableRandom own = new SplittableRandom(move.offset());
                    List<MemorySegment> local = segments(own, move.length() + own.nextInt(50_000));
                    byte[] before = new byte[(int) size(local)];
                    own.nextBytes(before);
                    store(local, before);
                    long at = own.nextLong(size(local) - move.length() + 1);
                    call.startPull(move.data(), move.offset(), local, at, move.length()).await();
                    byte[] after = load(local); // nothing but the range has changed
                    System.arraycopy(after, (int) at, before, (int) at, (int) move.length());
                    assertThat(Arrays.mismatch(after, before)).isEqualTo(-1);
                    call.startPush(
                                    move.data(),
                                    move.data().sizeBytes() / 2 + move.offset(),
                                    local,
                                    at,
                                    move.length())
                            .await();
                    return new Number(at);
                });
        RemoteFunction<Move, Number> copy = client.function("copy", Move.class, Number.class);
        int rounds = Boolean.getBoolean("jbmi.long") ? 2_000 : 25;
        for (int round = 0; round < rounds; round++) {
            List<MemorySegment> memory = segments(random, 2 * (1 + random.nextInt(300_000)));
            long half = size(memory) / 2;
            byte[] expected = new byte[(int) size(memory)];
            random.nextBytes(expected);
            store(memory, expected);
            long offset = random.nextLong(half);
            long length = random.nextLong(half - offset + 1);
            try (BulkHandle data = client.expose(memory, Permission.READ_WRITE)) {
                copy.call(address, new Move(data, offset, length), SOON);
            }
            System.arraycopy(expected, (int) offset, expected, (int) (half + offset), (int) length);
            assertThat(Arrays.mismatch(load(memory), expected)).isEqualTo(-1);
        }
    }

    private static List<MemorySegment> segments(SplittableRandom random, long bytes) {
        List<MemorySegment> segments = new ArrayList<>();
        long left = bytes;
        boolean tiny = random.nextInt(4) == 0;
        while (left > 0) {
            int most = tiny ? 1 + random.nextInt(60) : 1 + random.nextInt(100_000);
            int size = (int) Math.min(left, random.nextInt(most + 1));
            segments.add(
                    random.nextBoolean()
                            ? MemorySegment.ofArray(new byte[size])
                            : Arena.ofAuto().allocate(size));
            left -= size;
        }
        return segments;
    }

    private static long size(List<MemorySegment> segments) {
        return segments.stream().mapToLong(MemorySegment::byteSize).sum();
    }

    private static void store(List<MemorySegment> segments, byte[] bytes) {
        int at = 0;
        for (MemorySegment segment : segments) {
            MemorySegment.copy(
                    bytes, at, segment, ValueLayout.JAVA_BYTE, 0, (int) segment.byteSize());
            at += (int) segment.byteSize();
        }
    }

    private static byte[] load(List<MemorySegment> segments) {
        byte[] bytes = new byte[(int) size(segments)];
        int at = 0;
        for (MemorySegment segment : segments) {
            MemorySegment.copy(
                    segment, ValueLayout.JAVA_BYTE, 0, bytes, at, (int) segment.byteSize());
            at += (int) segment.byteSize();
        }
        return bytes;
    }

    /** More than there are channels: some wait for one. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void anyNumberOfTransfersRunsAtATime(String method) throws IOException {
        open(method);
        int pieces = 200;
        int each = 3_000;
        server.register(
                "pieces",
                Move.class,
                Number.class,
                call -> {
                    MemorySegment whole = MemorySegment.ofArray(new byte[pieces * each]);
                    List<Transfer> transfers = new ArrayList<>();
                    for (int i = 0; i < pieces; i++) {
                        transfers.add(
                                call.startPull(
                                        call.input().data(),
                                        (long) i * each,
                                        List.of(whole),
                                        (long) i * each,
                                        each));
                    }
                    transfers.forEach(Transfer::await);
                    for (int i = 0; i < pieces; i++) {
                        transfers.set(
                                i,
                                call.startPush(
                                        call.input().data(),
                                        (long) (pieces + i) * each,
                                        List.of(whole),
                                        (long) (pieces - 1 - i) * each,
                                        each));
                    }
                    transfers.forEach(Transfer::await);
                    return new Number(pieces);
                });
        byte[] bytes = new byte[2 * pieces * each];
        new SplittableRandom(1).nextBytes(bytes);
        byte[] expected = bytes.clone();
        for (int i = 0; i < pieces; i++) {
            System.arraycopy(bytes, (pieces - 1 - i) * each, expected, (pieces + i) * each, each);
        }
        try (BulkHandle data = client.expose(MemorySegment.ofArray(bytes), Permission.READ_WRITE)) {
            client.function("pieces", Move.class, Number.class)
                    .call(address, new Move(data, 0, 0), SOON);
        }
        assertThat(Arrays.mismatch(bytes, expected)).isEqualTo(-1);
    }

    /** The client does nothing for the transfer, so that it stands still until the cancel. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aCancelEndsTheTransfersOfItsCallAndTheirMemoryComesBack(String method) throws Exception {
        open(method);
        CompletableFuture<ErrorCode> ended = new CompletableFuture<>();
        CountDownLatch pulls = new CountDownLatch(1);
        server.register(
                "stand",
                Move.class,
                Number.class,
                call -> {
                    Lease lease = call.lease(1 << 20);
                    Transfer transfer =
                            call.startPull(
                                    call.input().data(), 0, List.of(lease.segment()), 0, 1 << 20);
                    pulls.countDown();
                    try {
                        transfer.await();
                    } catch (BmiException e) {
                        ended.complete(e.code());
                    }
                    return null;
                });
        try (Bmi other = setup.anotherClient().retain();
                Shipper still = Shipper.builder(other).withoutThreads().client()) {
            PeerAddress to = setup.address(other);
            still.connect(to, SOON);
            BulkHandle data =
                    still.expose(MemorySegment.ofArray(new byte[1 << 20]), Permission.READ);
            ShippedCall<Number> call =
                    still.function("stand", Move.class, Number.class)
                            .forward(to, new Move(data, 0, 0));
            assertThat(pulls.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(ended).isNotDone();
            call.cancel();
            Setup.until("the end", ended::isDone, () -> still.progress(Duration.ZERO));
            assertThat(ended.join()).isEqualTo(ErrorCode.ECANCEL);
            Setup.until(
                    "memory back",
                    () -> setup.server.counters().find("shipper.server.leasedBytes").get() == 0,
                    () -> still.progress(Duration.ZERO));
        }
    }

    // The pool gives the second lease the place of the first one, so that the segments are equal.
    @ParameterizedTest
    @FieldSource("METHODS")
    void aSecondCloseOfALeaseFreesNoOtherOne(String method) throws IOException {
        open(method);
        server.register(
                "twice",
                Number.class,
                Number.class,
                call -> {
                    Lease first = call.lease(1 << 20);
                    first.close();
                    try (Lease second = call.lease(1 << 20)) {
                        assertThat(second.segment()).isEqualTo(first.segment());
                        first.close();
                        return new Number(
                                setup.server.counters().find("shipper.server.leasedBytes").get());
                    }
                });
        assertThat(
                        client.function("twice", Number.class, Number.class)
                                .call(address, new Number(0), SOON))
                .isEqualTo(new Number(1 << 20));
    }

    // A server has all chunks of a pull, and uses its channel again, before the client's thread
    // that sent the last one has reported it. On loopback a send is pending until it is received.
    @Test
    void theChannelOfAPullWhoseSendsAreNotReportedYetMayBeUsedAgain() throws Exception {
        try (Setup setup = Setup.of("loopback");
                RawServer server = new RawServer(setup.server);
                Shipper client = Shipper.on(setup.client);
                BulkHandle first = number(client, 1);
                BulkHandle second = number(client, 2);
                BulkHandle third = number(client, 3)) {
            CompletableFuture<Void> connected =
                    CompletableFuture.runAsync(() -> client.connect(setup.address(), SOON));
            server.welcome();
            connected.get(20, TimeUnit.SECONDS);
            server.pull(1, first, 1);
            server.pull(2, second, 1);
            assertThat(server.chunk(1)).isEqualTo(1);
            assertThat(server.chunk(1)).isEqualTo(2);
            server.pull(3, first, 1);
            server.pull(4, second, 1);
            server.abort(4); // while it waits
            assertThat(server.await(Wire.DONE)).isEqualTo(4);
            assertThat(server.chunk(1)).isEqualTo(1);
            server.pull(5, first, 1);
            server.pull(6, second, 1);
            server.pull(7, third, 1); // one too many
            server.await(Wire.BYE);
        }
    }

    private static BulkHandle number(Shipper client, long value) {
        MemorySegment memory = MemorySegment.ofArray(new byte[Long.BYTES]);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
        return client.expose(memory, Permission.READ);
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void bothSidesCountAllThatIsPushed(String method) throws IOException {
        open(method);
        try (BulkHandle data =
                client.expose(MemorySegment.ofArray(new byte[100_000]), Permission.WRITE)) {
            long expected = 0;
            for (int length : new int[] {10, 100_000, 20}) {
                fill.call(address, new Move(data, 0, length), SOON);
                expected += length;
                assertThat(setup.server.counters().find("shipper.server.pushedBytes").get())
                        .isEqualTo(expected);
                assertThat(setup.client.counters().find("shipper.client.pushedBytes").get())
                        .isEqualTo(expected);
            }
        }
    }
}

package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoid.daemon.Statistics;
import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.client.ChunkLimit;
import org.jbmi.zoid.forward.client.Results;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.plugins.test.Test.TestPoint;
import org.jbmi.zoid.plugins.test.TestClient;
import org.jbmi.zoid.plugins.test.TestFunctions;
import org.jbmi.zoid.plugins.unix.UnixClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** How large messages may be, and what happens to those that are larger. */
class LimitsTest {
    private static final long POINT_BYTES = 16;
    private static final int READ_ONLY = 0;
    private static final int NEW_FILE = 0101;

    /** The convenience wrapper of the original's documentation, in Java. */
    private static final class Reader {
        private final Zoid zoid;
        private final UnixClient unix;
        private long maxReadBytes = -1;
        private int calls;
        private int refusals;
        private int errno;

        Reader(Zoid zoid) {
            this.zoid = zoid;
            this.unix = new UnixClient(zoid);
        }

        long read(int fd, MemorySegment buffer, long nbytes) {
            long bytesRead = 0;
            do {
                long toRead = nbytes - bytesRead;
                if (maxReadBytes != -1 && toRead > maxReadBytes) {
                    toRead = maxReadBytes;
                }
                LongCell count = new LongCell(toRead);
                long justRead = unix.read(fd, buffer.asSlice(bytesRead), count);
                int error = zoid.error();
                if (error != 0) {
                    if (error != ZoidError.E2BIG.number()) {
                        errno = error;
                        return -1;
                    }
                    refusals++;
                    maxReadBytes = toRead - zoid.excessiveSize();
                } else {
                    calls++;
                    if (justRead < 0) {
                        errno = (int) -justRead;
                        return -1;
                    }
                    bytesRead += justRead;
                    if (justRead != toRead) {
                        break;
                    }
                }
            } while (bytesRead < nbytes);
            return bytesRead;
        }
    }

    @ParameterizedTest
    @FieldSource("org.jbmi.zoid.plugins.Server#METHODS")
    void tenMegabytesAreReadInThreeCalls(String method) throws Exception {
        try (Server server = Server.of(method);
                Arena arena = Arena.ofShared()) {
            byte[] content = new byte[10_000_000];
            new Random(7).nextBytes(content);
            Path file = server.folder().resolve("file");
            Files.write(file, content);
            Zoid zoid =
                    Server.describe(server.clientBmi()).withErrorCodes().connect(server.address());
            try (zoid) {
                Reader reader = new Reader(zoid);
                int fd = reader.unix.open(file.toString(), READ_ONLY, 0);
                MemorySegment memory = arena.allocate(content.length);
                Statistics.Part before = part(server, "Plugin 2");
                assertThat(reader.read(fd, memory, content.length)).isEqualTo(content.length);
                assertThat(memory.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
                assertThat(reader.calls).isEqualTo(3);
                assertThat(reader.refusals).isEqualTo(1);
                Statistics.Part first = part(server, "Plugin 2");
                assertThat(first.receivedMessages() - before.receivedMessages()).isEqualTo(4);
                assertThat(first.sentBytes() - before.sentBytes())
                        .isBetween((long) content.length, content.length + 1000L);
                reader.unix.lseek(fd, 0, 0);
                assertThat(reader.read(fd, memory, content.length)).isEqualTo(content.length);
                assertThat(reader.calls).isEqualTo(6);
                assertThat(reader.refusals).isEqualTo(1);
                assertThat(part(server, "Plugin 2").receivedMessages() - first.receivedMessages())
                        .isEqualTo(1 + 3);
                assertThat(reader.unix.close(fd)).isZero();
                assertThat(reader.read(fd, memory, 10)).isEqualTo(-1);
                assertThat(reader.errno).isEqualTo(9);
            }
        }
    }

    @Test
    void aRequestThatIsTooLargeDoesNotTravel() throws Exception {
        try (Server server = Server.of("loopback");
                Arena arena = Arena.ofShared()) {
            Zoid zoid = server.client();
            UnixClient unix = new UnixClient(zoid);
            Path file = server.folder().resolve("file");
            int fd = unix.open(file.toString(), NEW_FILE, 0600);
            MemorySegment memory = arena.allocate(10_000_000);
            Statistics.Part before = part(server, "Plugin 2");
            Zoid.Traffic traffic = zoid.traffic();
            ZoidException refused = refusal(() -> unix.write(fd, memory, 10_000_000));
            assertThat(part(server, "Plugin 2")).isEqualTo(before);
            assertThat(zoid.traffic().requests()).isEqualTo(traffic.requests());
            assertThat(zoid.traffic().refusals()).isEqualTo(1);
            long fits = 10_000_000 - refused.excessiveSize();
            assertThat(refusal(() -> unix.write(fd, memory, fits + 1)).excessiveSize()).isOne();
            assertThat(unix.write(fd, memory, fits)).isEqualTo(fits);
            assertThat(Files.size(file)).isEqualTo(fits);
            Statistics.Part after = part(server, "Plugin 2");
            assertThat(after.receivedMessages()).isEqualTo(before.receivedMessages() + 1);
            assertThat(after.receivedBytes() - before.receivedBytes()).isEqualTo(zoid.limitBytes());
        }
    }

    @Test
    void aReplyThatWouldBeTooLargeIsRefusedBeforeTheFunctionRuns() throws Exception {
        try (Server server = Server.of("loopback");
                Arena arena = Arena.ofShared()) {
            Zoid zoid = server.client();
            TestClient test = new TestClient(zoid);
            MemorySegment memory = arena.allocate(5_000_000).fill((byte) 1);
            LongCell length = new LongCell(5_000_000);
            ZoidException refused = refusal(() -> test.pattern(memory, length, 0, 5_000_000));
            assertThat(length.get()).isEqualTo(5_000_000);
            assertThat(memory.mismatch(arena.allocate(5_000_000).fill((byte) 1))).isEqualTo(-1);
            long fits = 5_000_000 - refused.excessiveSize();
            length.set(fits + 1);
            assertThat(refusal(() -> test.pattern(memory, length, 0, 1)).excessiveSize()).isOne();
            length.set(fits);
            assertThat(test.pattern(memory, length, 0, fits)).isEqualTo(fits);
            int[] many = new int[2_000_000];
            assertThat(refusal(() -> test.iota(many, new LongCell(2_000_000), 1)).error())
                    .isEqualTo(ZoidError.E2BIG);
        }
    }

    /** The records that do not fit count, too. */
    @Test
    void anArrayOfRecordsSaysByHowMuchItIsTooLarge() throws Exception {
        try (Server server = Server.of("loopback")) {
            TestClient test = new TestClient(server.client());
            TestPoint[] points = new TestPoint[300_000];
            Arrays.fill(points, new TestPoint(1, 2, 3));
            long excess = refusal(() -> test.centre(points, points.length)).excessiveSize();
            int tooMany = Math.toIntExact((excess + POINT_BYTES - 1) / POINT_BYTES);
            int fits = points.length - tooMany;
            assertThat(refusal(() -> test.centre(points, fits + 1)).excessiveSize())
                    .isEqualTo(excess - POINT_BYTES * (tooMany - 1L));
            assertThat(test.centre(points, fits)).isPositive();
        }
    }

    private static ZoidException refusal(Runnable call) {
        try {
            call.run();
        } catch (ZoidException e) {
            assertThat(e.error()).isEqualTo(ZoidError.E2BIG);
            return e;
        }
        throw new AssertionError("The call was not refused.");
    }

    private static Statistics.Part part(Server server, String name) {
        return server.daemon().statistics().parts().stream()
                .filter(part -> part.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void oneSizeOfBuffersIsTheLimit() throws Exception {
        ZoidSettings one = Server.settings().withBuffers(4096, 0);
        try (Server server = Server.of("loopback", one)) {
            Zoid zoid = server.client();
            assertThat(zoid.limitBytes()).isEqualTo(4096);
            TestClient test = new TestClient(zoid);
            MemorySegment memory = MemorySegment.ofArray(new byte[5000]);
            long excess = refusal(() -> test.checksum(memory, 5000)).excessiveSize();
            test.checksum(memory, 5000 - excess);
        }
    }

    @Test
    void anInputOfThePluginsMemoryThatHasNoneMovesNothing() throws Exception {
        try (Server server = Server.of("loopback");
                Arena arena = Arena.ofShared()) {
            Zoid zoid = server.client();
            TestClient test = new TestClient(zoid);
            MemorySegment memory = arena.allocate(65 << 20); // the plug-in takes 64 MiB
            Statistics.Part before = part(server, "Plugin 4");
            assertThatThrownBy(() -> test.keep(memory, memory.byteSize()))
                    .isInstanceOfSatisfying(
                            ZoidException.class,
                            e -> assertThat(e.error()).isEqualTo(ZoidError.ENOMEM));
            Statistics.Part after = part(server, "Plugin 4");
            assertThat(after.receivedMessages() - before.receivedMessages()).isOne();
            assertThat(after.receivedBytes() - before.receivedBytes()).isLessThan(1000);
            assertThat(test.held()).isZero();
        }
    }

    @Test
    void memoryOfAPluginHasAQuota() throws Exception {
        ZoidSettings settings = Server.settings().withUserBufferQuota(1 << 20);
        try (Server server = Server.of("loopback", settings)) {
            TestClient test = new TestClient(server.client());
            MemorySegment memory = MemorySegment.ofArray(new byte[(1 << 20) + 1]);
            assertThatThrownBy(() -> test.keep(memory, memory.byteSize()))
                    .isInstanceOfSatisfying(
                            ZoidException.class,
                            e -> assertThat(e.error()).isEqualTo(ZoidError.EDQUOT));
            test.keep(memory, 1 << 20);
            test.keep(memory, 1 << 20); // what was used is free again
        }
    }

    /** The function that brings the memory asks before it takes any. */
    @Test
    void aReadIntoMemoryBeyondTheQuotaTakesNone() throws Exception {
        ZoidSettings settings = Server.settings().withUserBufferQuota(1 << 20);
        try (Server server = Server.of("loopback", settings)) {
            Path file = server.folder().resolve("file");
            Files.write(file, new byte[(1 << 20) + 1]);
            UnixClient unix = new UnixClient(server.client());
            int fd = unix.open(file.toString(), READ_ONLY, 0);
            MemorySegment memory = MemorySegment.ofArray(new byte[2 << 20]);
            LongCell count = new LongCell(2 << 20);
            assertThat(unix.pread(fd, memory, count, 0)).isEqualTo(-12);
            assertThat(count.get()).isZero();
            count.set(2 << 20); // of which the file has a byte less than the quota
            assertThat(unix.pread(fd, memory, count, 2)).isEqualTo((1 << 20) - 1);
            assertThat(count.get()).isEqualTo((1 << 20) - 1);
            count.set(10);
            assertThat(unix.pread(fd, memory, count, 5 << 20)).isZero();
        }
    }

    @Test
    void aChunkLimitLearnsOnce() {
        ChunkLimit limit = new ChunkLimit();
        ChunkLimit.Piece piece =
                (done, bytes) -> {
                    if (bytes > 100) {
                        throw new ZoidException(ZoidError.E2BIG, bytes - 100, "too large");
                    }
                    return done >= 250 ? bytes / 2 : bytes;
                };
        assertThat(limit.move(230, piece)).isEqualTo(230);
        assertThat(limit.move(1000, piece)).isEqualTo(350);
        assertThat(limit.move(10, (_, _) -> -5)).isEqualTo(-5);
        assertThat(limit.move(0, (_, bytes) -> bytes)).isZero();
    }

    /** A plug-in can throw that, too, and the same call would be made for ever. */
    @Test
    void aChunkLimitDoesNotMakeACallAgainThatIsNotSmaller() {
        for (long excess : new long[] {0, -1}) {
            List<Long> calls = new ArrayList<>();
            ChunkLimit.Piece piece =
                    (_, bytes) -> {
                        calls.add(bytes);
                        assertThat(calls).hasSizeLessThan(3);
                        throw new ZoidException(ZoidError.E2BIG, excess, "too large");
                    };
            assertThatThrownBy(() -> new ChunkLimit().move(100, piece))
                    .isInstanceOf(ZoidException.class);
            assertThat(calls).containsExactly(100L);
        }
    }

    @Test
    void aChunkLimitSplitsReadsOfAFile() throws Exception {
        try (Server server = Server.of("loopback");
                Arena arena = Arena.ofShared()) {
            byte[] content = new byte[10_000_000];
            new Random(8).nextBytes(content);
            Path file = server.folder().resolve("file");
            Files.write(file, content);
            UnixClient unix = new UnixClient(server.client());
            int fd = unix.open(file.toString(), READ_ONLY, 0);
            MemorySegment memory = arena.allocate(content.length);
            ChunkLimit limit = new ChunkLimit();
            ChunkLimit.Piece piece =
                    (done, bytes) ->
                            unix.read(fd, memory.asSlice(done, bytes), new LongCell(bytes));
            for (int calls : new int[] {1 + 3, 3}) {
                unix.lseek(fd, 0, 0);
                long before = part(server, "Plugin 2").receivedMessages();
                assertThat(limit.move(content.length, piece)).isEqualTo(content.length);
                assertThat(part(server, "Plugin 2").receivedMessages() - before).isEqualTo(calls);
                assertThat(memory.mismatch(MemorySegment.ofArray(content))).isEqualTo(-1);
                memory.fill((byte) 0);
            }
        }
    }

    /** Of an array that the function makes smaller only so much travels. */
    @Test
    void whatIsNotUsedOfAnArrayIsNotSent() throws Exception {
        try (Server server = Server.of("loopback");
                Arena arena = Arena.ofShared()) {
            TestClient test = new TestClient(server.client());
            MemorySegment memory = arena.allocate(2_000_000);
            long before = part(server, "Plugin 4").sentBytes();
            assertThat(test.pattern(memory, new LongCell(2_000_000), 1, 5000)).isEqualTo(5000);
            test.iota(new int[500_000], new LongCell(500_000), 10);
            MemorySegment[] rows = {
                arena.allocate(2000), arena.allocate(2000), arena.allocate(2000)
            };
            test.fillRows(rows, new int[] {2000, 2000, 2000}, 3); // half of each
            assertThat(part(server, "Plugin 4").sentBytes() - before)
                    .isBetween(5000 + 40 + 3000L, 5000 + 40 + 3000L + 500);
        }
    }

    @Test
    void bothKindsOfErrorsAreOneNumber() throws Exception {
        try (Server server = Server.of("loopback");
                Zoid zoid =
                        Server.describe(server.clientBmi())
                                .withErrorCodes()
                                .callTimeout(Duration.ofSeconds(60))
                                .connect(server.address())) {
            UnixClient unix = new UnixClient(zoid);
            assertThat(Results.errorNumber(zoid, unix.close(77))).isEqualTo(9);
            assertThat(Results.errorNumber(zoid, unix.open("/no/such", READ_ONLY, 0))).isEqualTo(2);
            assertThat(Results.errorNumber(zoid, unix.access("/", 0))).isZero();
            TestClient test = new TestClient(zoid);
            test.fail("a fault");
            assertThat(zoid.error()).isEqualTo(ZoidError.EREMOTEIO.number());
            assertThat(test.add(1, 1)).isEqualTo(2);
            assertThat(zoid.error()).isZero();
        }
    }

    @Test
    void anUnknownPluginIsAnErrorOfTheCall() throws Exception {
        ZoidSettings settings = ZoidSettings.defaults().withModules(List.of("nowhere", "test"));
        try (Server server = Server.of("loopback", settings)) {
            assertThat(server.log)
                    .singleElement()
                    .asString()
                    .startsWith("There is no plug-in 'nowhere'")
                    .contains("unix, mapping, barrier, zoidfs, test");
            Zoid zoid = server.client();
            assertThatThrownBy(() -> new UnixClient(zoid).close(3))
                    .isInstanceOfSatisfying(
                            ZoidException.class,
                            e -> assertThat(e.error()).isEqualTo(ZoidError.ENOSYS));
            assertThat(new TestClient(zoid).add(1, 2)).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @FieldSource("org.jbmi.zoid.plugins.Server#METHODS")
    void largeMessagesWaitForTheirTurn(String method) throws Exception {
        ZoidSettings settings = Server.settings().withThreshold(8);
        try (Server server = Server.of(method, settings);
                Arena arena = Arena.ofShared()) {
            Zoid zoid = server.client();
            assertThat(zoid.thresholdBytes()).isEqualTo(1920);
            TestClient test = new TestClient(zoid);
            int[] numbers = new int[100_000];
            numbers[99_999] = 5;
            assertThat(test.sum(numbers, 400)).isZero();
            assertThat(test.sum(numbers, 100_000)).isEqualTo(5);
            MemorySegment data = arena.allocate(1_000_000);
            TestFunctions.fill(data, 4);
            assertThat(test.checksum(data, 1_000_000)).isEqualTo(TestFunctions.checksumOf(data));
        }
    }

    /** A call with a large request and a large reply has one place, and needs no second one. */
    @Test
    @Timeout(60)
    void largeCallsOfOneProcessDoNotWaitForEachOther() throws Exception {
        try (Server server = Server.of("loopback");
                ExecutorService threads = Executors.newFixedThreadPool(8)) {
            TestClient test = new TestClient(server.client());
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                calls.add(
                        threads.submit(
                                () -> {
                                    for (int round = 0; round < 20; round++) {
                                        double[] numbers = new double[1000];
                                        numbers[999] = 3;
                                        test.square(numbers, numbers.length);
                                        assertThat(numbers[999]).isEqualTo(9);
                                    }
                                }));
            }
            for (Future<?> call : calls) {
                call.get(50, TimeUnit.SECONDS);
            }
        }
    }
}

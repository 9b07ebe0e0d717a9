package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A link that is cut or held in the middle of a copy, and mended. */
@Timeout(90)
class LinkTest {
    private static final int SIZE_BYTES = 24 << 20;
    private static final long SOME_BYTES = 4 << 20;

    @TempDir private Path folder;
    private TestServer server;
    private Link link;
    private Bmi bmi;
    private ZoidfsClient client;
    private FileHandle file;
    private final byte[] content = new byte[SIZE_BYTES];

    @BeforeEach
    void start() throws IOException {
        new Random(1).nextBytes(content);
        server = TestServer.of(folder);
        link = new Link(server.port());
        bmi = Bmi.open();
        client =
                ZoidfsClient.connect(
                        bmi,
                        link.address(),
                        ClientOptions.DEFAULT.withChunkBytes(500_000).withTimeoutMs(20_000));
        file = client.create(FileSpec.path("/f"), SettableAttributes.ofMode(0644)).handle();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        bmi.close();
        link.close();
        server.close();
    }

    private CompletableFuture<Long> copyInParts() {
        return client.submit(
                () -> {
                    long offset = 0;
                    while (offset < SIZE_BYTES) {
                        MemorySegment part =
                                MemorySegment.ofArray(content)
                                        .asSlice(offset, Math.min(2 << 20, SIZE_BYTES - offset));
                        offset += client.write(file, part, offset);
                    }
                    return offset;
                });
    }

    /** What is in the file is of the copy, or was never written. */
    private void assertNoByteIsWrong() throws IOException {
        byte[] found = Files.readAllBytes(folder.resolve("f"));
        assertThat(found.length).isLessThanOrEqualTo(SIZE_BYTES);
        for (int i = 0; i < found.length; i++) {
            if (found[i] != content[i] && found[i] != 0) {
                throw new AssertionError("The byte at " + i + " is " + found[i]);
            }
        }
    }

    @Test
    void aCutLinkEndsACopyWithASentenceAndTheNextOneIsWhole() throws Exception {
        link.cutAfter(SOME_BYTES);
        CompletableFuture<Long> copy = copyInParts();
        assertThatThrownBy(copy::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(ZoidfsException.class)
                .hasMessageContaining("did not answer");
        Await.until("the server is done with it", () -> server.server().calls() == 0);
        assertNoByteIsWrong();
        assertThatThrownBy(() -> client.getAttributes(file)).isInstanceOf(ZoidfsException.class);
        link.mend();
        assertThat(copyInParts().get()).isEqualTo(SIZE_BYTES);
        assertThat(Files.readAllBytes(folder.resolve("f"))).isEqualTo(content);
        byte[] back = new byte[SIZE_BYTES];
        assertThat(client.read(file, MemorySegment.ofArray(back), 0)).isEqualTo(SIZE_BYTES);
        assertThat(back).isEqualTo(content);
    }

    @Test
    void aHeldLinkThatIsMendedLetsACopyGoOn() throws Exception {
        link.holdAfter(SOME_BYTES);
        CompletableFuture<Long> copy = copyInParts();
        Await.until("the link is held", link::isHeld);
        assertThat(copy).isNotDone();
        link.mend();
        assertThat(copy.get()).isEqualTo(SIZE_BYTES);
        assertThat(Files.readAllBytes(folder.resolve("f"))).isEqualTo(content);
    }

    @Test
    void aLinkThatIsHeldTooLongEndsAReadInTime() throws Exception {
        Files.write(folder.resolve("f"), content);
        try (Bmi own = Bmi.open();
                ZoidfsClient hasty =
                        ZoidfsClient.connect(
                                own, link.address(), ClientOptions.DEFAULT.withTimeoutMs(500))) {
            byte[] back = new byte[SIZE_BYTES];
            link.holdAfter(0);
            long begin = System.nanoTime();
            assertThatThrownBy(() -> hasty.read(file, MemorySegment.ofArray(back), 0))
                    .isInstanceOf(ZoidfsException.class)
                    .hasMessageContaining("did not answer");
            assertThat(System.nanoTime() - begin).isLessThan(30_000_000_000L);
            assertThat(Arrays.mismatch(back, new byte[SIZE_BYTES])).isEqualTo(-1);
        }
    }

    /** The sends are over once the system has the bytes, so only the reply shows the silence. */
    @Test
    void aLinkThatIsHeldEndsAWriteAfterTwiceTheTimeout() throws Exception {
        int timeoutMs = 1_000;
        ClientOptions options = ClientOptions.DEFAULT.withChunkBytes(4).withTimeoutMs(timeoutMs);
        try (Bmi own = Bmi.open();
                ZoidfsClient hasty = ZoidfsClient.connect(own, link.address(), options)) {
            Await.answer(hasty);
            link.holdAfter(0);
            long beginNs = System.nanoTime();
            assertThatThrownBy(() -> hasty.write(file, MemorySegment.ofArray(new byte[40]), 0))
                    .isInstanceOf(ZoidfsException.class)
                    .hasMessageContaining("did not answer");
            long tookMs = (System.nanoTime() - beginNs) / 1_000_000;
            assertThat(tookMs).isBetween(2L * timeoutMs, 4L * timeoutMs);
        }
    }

    /** The reply of a write comes after the data that the system has taken. */
    @Test
    void aSlowLinkHasTwiceTheTimeoutForTheReplyOfAWrite() throws Exception {
        int bytes = 5 * 48_000;
        ClientOptions options = ClientOptions.DEFAULT.withChunkBytes(48_000).withTimeoutMs(2_000);
        try (Bmi own = Bmi.open();
                ZoidfsClient hasty = ZoidfsClient.connect(own, link.address(), options)) {
            Await.answer(hasty);
            link.slowTo(90_000);
            MemorySegment from = MemorySegment.ofArray(content).asSlice(0, bytes);
            assertThat(hasty.write(file, from, 0)).isEqualTo(bytes);
            assertThat(folder.resolve("f")).hasBinaryContent(Arrays.copyOf(content, bytes));
        }
    }

    /** Four messages take longer than the timeout, and the fifth waits for them. */
    @Test
    void aSlowLinkIsNotTakenForASilentServer() throws Exception {
        int bytes = 6 * 48_000;
        Files.write(folder.resolve("f"), Arrays.copyOf(content, bytes));
        ClientOptions options = ClientOptions.DEFAULT.withChunkBytes(48_000).withTimeoutMs(900);
        try (Bmi own = Bmi.open();
                ZoidfsClient hasty = ZoidfsClient.connect(own, link.address(), options)) {
            byte[] back = new byte[bytes];
            Await.answer(hasty);
            link.slowTo(160_000);
            assertThat(hasty.read(file, MemorySegment.ofArray(back), 0)).isEqualTo(bytes);
            assertThat(back).isEqualTo(Arrays.copyOf(content, bytes));
        }
    }

    /** Reads or writes a part of the file. */
    private interface Moving {
        long part(ZoidfsClient through, MemorySegment memory, long offset) throws IOException;
    }

    /**
     * Moves the file in parts, all at once, over a link that needs much longer than the timeout for
     * all, and much less for a message. Asks for the attributes meanwhile.
     */
    private void moveSideBySide(byte[] bytes, Moving moving) throws Exception {
        int parts = 16;
        int partBytes = SIZE_BYTES / parts;
        ClientOptions options =
                ClientOptions.DEFAULT.withChunkBytes(256 << 10).withTimeoutMs(1_500);
        try (Bmi own = Bmi.open();
                ZoidfsClient hasty = ZoidfsClient.connect(own, link.address(), options)) {
            Await.answer(hasty);
            link.slowTo(3 << 20);
            List<CompletableFuture<Long>> moved = new ArrayList<>();
            for (long offset = 0; offset < SIZE_BYTES; offset += partBytes) {
                long at = offset;
                MemorySegment part = MemorySegment.ofArray(bytes).asSlice(at, partBytes);
                moved.add(hasty.submit(() -> moving.part(hasty, part, at)));
            }
            do {
                hasty.getAttributes(file);
            } while (!moved.stream().allMatch(CompletableFuture::isDone));
            for (CompletableFuture<Long> part : moved) {
                assertThat(part.get()).isEqualTo(partBytes);
            }
        }
    }

    @Test
    void writesSideBySideOverASlowLinkWaitForEachOther() throws Exception {
        moveSideBySide(content, (through, from, offset) -> through.write(file, from, offset));
        assertThat(folder.resolve("f")).hasBinaryContent(content);
    }

    @Test
    void readsSideBySideOverASlowLinkWaitForEachOther() throws Exception {
        Files.write(folder.resolve("f"), content);
        byte[] back = new byte[SIZE_BYTES];
        moveSideBySide(back, (through, into, offset) -> through.read(file, into, offset));
        assertThat(back).isEqualTo(content);
    }

    /** The failure of a call is no sign of the server for the others. */
    @Test
    void aSilentServerEndsAllCallsAtTheirTimes() throws Exception {
        int timeoutMs = 500;
        ClientOptions options = ClientOptions.DEFAULT.withTimeoutMs(timeoutMs);
        try (Bmi own = Bmi.open();
                ZoidfsClient hasty = ZoidfsClient.connect(own, link.address(), options)) {
            Await.answer(hasty);
            link.holdAfter(0);
            List<CompletableFuture<Long>> ends = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                ends.add(hasty.submit(() -> failureMs(hasty)));
            }
            for (CompletableFuture<Long> each : ends) {
                assertThat(each.get()).isLessThan(6L * timeoutMs);
            }
        }
    }

    private long failureMs(ZoidfsClient client) {
        long beginNs = System.nanoTime();
        assertThatThrownBy(() -> client.getAttributes(file)).isInstanceOf(ZoidfsException.class);
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNs);
    }
}

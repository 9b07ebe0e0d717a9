package org.jbmi.zoidfs.server.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoidfs.protocol.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Channels of files of a server. */
@Timeout(60)
class ChannelsTest extends ServedFiles {
    private static final int ROUNDS = 50;

    /** Also at the end of the file, behind which the server sends zeros. */
    @Test
    void aStreamLeavesWhatIsBehindItsBytes() throws IOException {
        Files.writeString(path("/f"), "abc");
        for (Path file : List.of(local("f"), path("/f"))) {
            byte[] room = "0123456789".getBytes(StandardCharsets.US_ASCII);
            try (InputStream in = Files.newInputStream(file)) {
                assertThat(in.read(room)).isEqualTo(3);
                assertThat(room).asString().isEqualTo("abc3456789");
                assertThat(in.read(room)).isEqualTo(-1);
                assertThat(room).asString().isEqualTo("abc3456789");
            }
        }
        byte[] large = new byte[(2 << 20) + 5];
        Arrays.fill(large, (byte) 7);
        Files.write(local("f"), large);
        try (InputStream in = Files.newInputStream(path("/f"))) {
            assertThat(in.skip(1)).isEqualTo(1);
            assertThat(in.available()).isEqualTo(large.length - 1);
            assertThat(in.readNBytes(large.length)).hasSize(large.length - 1).containsOnly(7);
            assertThat(in.read()).isEqualTo(-1);
        }
        assertThatThrownBy(() -> Files.newInputStream(path("/f"), StandardOpenOption.WRITE))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void channelsDoWhatChannelsDo() throws IOException {
        Set<StandardOpenOption> all =
                Set.of(
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        try (FileChannel file = FileChannel.open(path("/f"), all)) {
            assertThat(file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}))).isEqualTo(4);
            assertThat(file.position()).isEqualTo(4);
            assertThat(file.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            assertThat(file.write(ByteBuffer.wrap(new byte[] {9}), 6)).isEqualTo(1);
            assertThat(file.position()).isEqualTo(4);
            assertThat(file.size()).isEqualTo(7);
            ByteBuffer direct = ByteBuffer.allocateDirect(10);
            assertThat(file.read(direct, 1)).isEqualTo(6);
            assertThat(direct.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3, 4, 0, 0, 9}));
            file.position(1);
            ByteBuffer[] two = {ByteBuffer.allocate(2), ByteBuffer.allocate(9)};
            assertThat(file.read(two)).isEqualTo(6);
            assertThat(two[0].array()).containsExactly(2, 3);
            try (Arena arena = Arena.ofConfined()) {
                ByteBuffer confined = arena.allocate(4).asByteBuffer();
                assertThat(file.read(confined, 0)).isEqualTo(4);
                assertThat(confined.get(3)).isEqualTo((byte) 4);
                confined.flip();
                assertThat(file.write(confined, 7)).isEqualTo(4);
            }
            assertThat(file.write(ByteBuffer.wrap(new byte[] {5, 6}).asReadOnlyBuffer(), 0))
                    .isEqualTo(2);
            file.truncate(5).truncate(100);
            assertThat(file.size()).isEqualTo(5);
            assertThat(file.position()).isEqualTo(5);
            assertThat(file.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[] {7, 8})}))
                    .isEqualTo(2);
            file.force(true);
            assertThat(Files.readAllBytes(local("f"))).containsExactly(5, 6, 3, 4, 0, 7, 8);
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), -1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.map(FileChannel.MapMode.READ_ONLY, 0, 1))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(file::lock).isInstanceOf(UnsupportedOperationException.class);
        }
        FileChannel closed = FileChannel.open(path("/f"));
        closed.close();
        assertThatThrownBy(closed::size).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> closed.write(new ByteBuffer[0]))
                .isInstanceOf(ClosedChannelException.class);
        try (FileChannel read = FileChannel.open(path("/f"));
                FileChannel write = FileChannel.open(path("/f"), StandardOpenOption.WRITE);
                FileChannel copy = FileChannel.open(path("/g"), all)) {
            assertThatThrownBy(() -> read.write(ByteBuffer.allocate(1)))
                    .isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> write.read(ByteBuffer.allocate(1)))
                    .isInstanceOf(NonReadableChannelException.class);
            assertThat(read.transferTo(1, 100, copy)).isEqualTo(6);
            read.position(0);
            assertThat(copy.transferFrom(read, 3, 2)).isEqualTo(2);
            assertThat(Files.readAllBytes(local("g"))).containsExactly(6, 3, 4, 5, 6, 8);
        }
    }

    private static void writeManyTimes(FileChannel file, int number, int parts) {
        ByteBuffer[] all = new ByteBuffer[parts];
        for (int i = 0; i < parts; i++) {
            all[i] = ByteBuffer.wrap(new byte[] {(byte) number});
        }
        try {
            for (int round = 0; round < ROUNDS; round++) {
                assertThat(file.write(all)).isEqualTo(parts);
                for (ByteBuffer each : all) {
                    each.rewind();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theBuffersOfOneWriteStayTogether() throws IOException {
        int threads = 4;
        int parts = 5;
        try (FileChannel file =
                FileChannel.open(path("/f"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
                for (int i = 0; i < threads; i++) {
                    int number = i;
                    writers.add(
                            CompletableFuture.runAsync(
                                    () -> writeManyTimes(file, number, parts), pool));
                }
            }
            writers.forEach(CompletableFuture::join);
        }
        byte[] content = Files.readAllBytes(local("f"));
        assertThat(content).hasSize(threads * ROUNDS * parts);
        for (int at = 0; at < content.length; at += parts) {
            assertThat(Arrays.copyOfRange(content, at, at + parts)).containsOnly(content[at]);
        }
    }

    @Test
    void anInterruptClosesAChannel() throws IOException {
        Files.write(path("/f"), new byte[10]);
        try (FileChannel file = FileChannel.open(path("/f"))) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> file.read(ByteBuffer.allocate(5), 0))
                    .isInstanceOf(ClosedByInterruptException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(file.isOpen()).isFalse();
        }
        assertThat(Files.size(path("/f"))).isEqualTo(10);
    }

    /** Else a failure to ask would be told as a failure to write. */
    @Test
    void anAppendAsksNothingWhenItIsDone() throws IOException {
        try (FileChannel file =
                FileChannel.open(
                        path("/f"), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2}));
            long before = server.counters().calls(Operation.GET_ATTR);
            assertThat(file.write(ByteBuffer.wrap(new byte[] {3}))).isEqualTo(1);
            // One before, for servers without appends.
            assertThat(server.counters().calls(Operation.GET_ATTR)).isEqualTo(before + 1);
            assertThat(file.position()).isEqualTo(3);
        }
        assertThat(Files.readAllBytes(local("f"))).containsExactly(1, 2, 3);
    }
}

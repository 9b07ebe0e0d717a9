package org.jbmi.zbmi.channel.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

/** One direction of a channel: order, bounds, files that come and go. */
@Timeout(120)
class ChronicleQueuesTest {
    private static final long SENT = 0;
    private static final long CONSUMED = 128;
    private static final long WANTED = 256;

    private final Arena arena = Arena.ofShared();
    private final SharedMemory memory = new SegmentMemory(arena.allocate(512, 128));
    private final Message message = new Message();
    @TempDir private Path folder;
    private ChronicleDirection direction;
    private ChronicleSource source;
    private ChronicleSink sink;

    @BeforeEach
    void describe() {
        direction = new ChronicleDirection(QueueSettings.usual(), folder, memory, SENT, CONSUMED);
        source = new ChronicleSource(direction, WANTED);
        sink = new ChronicleSink(direction);
    }

    @AfterEach
    void close() {
        sink.close();
        source.close();
        arena.close();
    }

    private int send(long number) {
        ServerRequests.cancel(message, number, ~number, 3 * number);
        return sink.offer(message);
    }

    private void receive(long number) {
        assertThat(source.poll(message)).as("message %d", number).isEqualTo(MessageSource.RECEIVED);
        assertThat(message.kind()).isEqualTo(ServerRequests.CANCEL);
        assertThat(message.word(0)).isEqualTo(number);
        assertThat(message.word(1)).isEqualTo(~number);
        assertThat(message.word(2)).isEqualTo(3 * number);
    }

    private List<Path> dataFiles() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".cq4")).sorted().toList();
        }
    }

    @Test
    void untilItIsOpenOneSideIsFullAndTheOtherEmpty() throws Exception {
        assertThat(send(1)).isEqualTo(MessageSink.FULL);
        assertThat(sink.room()).isEqualTo(MessageSink.FULL);
        assertThat(source.hasMessage()).isFalse();
        sink.open();
        assertThat(send(1)).isEqualTo(MessageSink.SENT);
        assertThat(source.poll(message)).isEqualTo(MessageSource.EMPTY);
        source.open(false);
        assertThat(source.hasMessage()).isTrue();
        receive(1);
        assertThat(source.hasMessage()).isFalse();
        assertThat(source.poll(message)).isEqualTo(MessageSource.EMPTY);
    }

    @Test
    void thereIsRoomForSoManyAndNoMore() throws Exception {
        source.open(false);
        sink.open();
        for (int i = 0; i < QueueSettings.BOUND; i++) {
            assertThat(send(i)).isEqualTo(MessageSink.SENT);
        }
        assertThat(send(-1)).isEqualTo(MessageSink.FULL);
        assertThat(sink.room()).isEqualTo(MessageSink.FULL);
        memory.setIntVolatile(WANTED, 1);
        for (int i = 0; i < QueueSettings.BOUND; i++) {
            receive(i);
        }
        assertThat(source.takeCreditDue()).isTrue();
        assertThat(source.takeCreditDue()).isFalse();
        assertThat(send(4)).isEqualTo(MessageSink.SENT);
        receive(4);
    }

    @Test
    void filesThatWereReadGo() throws Exception {
        source.open(false);
        sink.open();
        long bytes = moveThrough(5);
        assertThat(dataFiles()).hasSizeLessThanOrEqualTo(2);
        assertThat(bytes).isLessThan(32L << 20);
    }

    @Test
    void orStayIfTheyShall() throws Exception {
        source.open(true);
        sink.open();
        moveThrough(3);
        assertThat(dataFiles()).hasSize(4);
    }

    /** Sends and receives in bursts; returns the most bytes that lay in the folder. */
    private long moveThrough(int files) throws IOException {
        long most = 0;
        long sent = 0;
        long received = 0;
        long end = (long) files * QueueSettings.MESSAGES_PER_FILE + 100;
        while (received < end) {
            for (int i = 0; i < 1500 && sent < end; i++) {
                assertThat(send(sent++)).isEqualTo(MessageSink.SENT);
            }
            most = Math.max(most, bytesOf(dataFiles()));
            while (received < sent) {
                receive(received++);
            }
        }
        return most;
    }

    private static long bytesOf(List<Path> files) throws IOException {
        long bytes = 0;
        for (Path file : files) {
            bytes += Files.exists(file) ? Files.size(file) : 0;
        }
        return bytes;
    }

    @Test
    void onlyTheOwnerMayReadTheFiles() throws Exception {
        source.open(false);
        sink.open();
        send(1);
        assertThat(dataFiles()).hasSize(1);
        // The library may tell of a new file in a thread of its own.
        long end = System.nanoTime() + 20_000_000_000L;
        while (!areAllPrivate()) {
            assertThat(System.nanoTime() - end).as("files of the owner alone").isNegative();
            Thread.onSpinWait();
        }
    }

    private boolean areAllPrivate() throws IOException {
        boolean all = true;
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                all &=
                        Files.getPosixFilePermissions(file)
                                .equals(PosixFilePermissions.fromString("rw-------"));
            }
        }
        return all;
    }

    @Test
    void theLibraryKeepsNoThread() throws Exception {
        source.open(false);
        sink.open();
        send(1);
        receive(1);
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.contains("~") || name.contains("chronicle"));
    }

    @Test
    void countsThatCannotBeAreNoticed() throws Exception {
        source.open(false);
        sink.open();
        send(1);
        for (long wrong : new long[] {-1, 2, Long.MIN_VALUE, Long.MAX_VALUE}) {
            memory.setLongVolatile(CONSUMED, wrong);
            assertThat(sink.room()).as("read %d", wrong).isEqualTo(MessageSink.BROKEN);
        }
        for (long wrong : new long[] {-1, QueueSettings.BOUND + 1, Long.MAX_VALUE}) {
            memory.setLongVolatile(SENT, wrong);
            assertThat(source.poll(message)).as("sent %d", wrong).isEqualTo(MessageSource.BROKEN);
        }
        memory.setLongVolatile(SENT, 1);
        receive(1);
        // One that was announced and is not there.
        memory.setLongVolatile(SENT, 2);
        assertThat(source.poll(message)).isEqualTo(MessageSource.BROKEN);
    }
}

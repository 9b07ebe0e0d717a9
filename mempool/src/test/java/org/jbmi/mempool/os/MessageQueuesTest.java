package org.jbmi.mempool.os;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.os.MessageQueues.End;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MessageQueuesTest {
    private static final boolean IS_X86 = System.getProperty("os.arch").equals("amd64");
    private static final String PPOLL = IS_X86 ? "271 " : "73 ";
    private static final String MQ_TIMEDRECEIVE = IS_X86 ? "243 " : "183 ";

    private final String name =
            "/zbmi-" + ProcessHandle.current().pid() + "-test-" + System.nanoTime();
    private final QueueBuffer buffer = new QueueBuffer(128);

    @AfterEach
    void removeName() {
        MessageQueues.unlink(name);
    }

    @Test
    void theyAreAvailableHere() {
        assertThat(MessageQueues.unavailabilityReason()).isEmpty();
    }

    @Test
    void messagesComeInOrderAndWithTheirLength() {
        int receiver = MessageQueues.create(name, End.RECEIVE, 2, 128);
        int sender = MessageQueues.open(name, End.SEND);
        assertThat(receiver).isNotNegative();
        assertThat(sender).isNotNegative();
        assertThat(MessageQueues.depth(sender, buffer)).isEqualTo(2);
        assertThat(MessageQueues.messageBytes(sender, buffer)).isEqualTo(128);

        assertThat(MessageQueues.receive(receiver, buffer, 0)).isEqualTo(-Errno.EAGAIN);
        buffer.setWord(0, 11);
        buffer.setWord(1, 12);
        assertThat(MessageQueues.send(sender, buffer, 2)).isZero();
        buffer.setWord(0, 21);
        assertThat(MessageQueues.send(sender, buffer, 1)).isZero();
        assertThat(MessageQueues.queued(receiver, new QueueBuffer(64))).isEqualTo(2);
        assertThat(MessageQueues.send(sender, buffer, 1)).isEqualTo(-Errno.EAGAIN);

        assertThat(MessageQueues.receive(receiver, buffer, 0)).isEqualTo(16);
        assertThat(buffer.word(0)).isEqualTo(11);
        assertThat(buffer.word(1)).isEqualTo(12);
        assertThat(MessageQueues.receive(receiver, buffer, 0)).isEqualTo(8);
        assertThat(buffer.word(0)).isEqualTo(21);
        MessageQueues.close(sender);
        MessageQueues.close(receiver);
    }

    @Test
    void aWaitHasAnEnd() throws Exception {
        int receiver = MessageQueues.create(name, End.RECEIVE_WAITING, 1, 64);
        int sender = MessageQueues.open(name, End.SEND);

        assertThat(MessageQueues.receive(receiver, buffer, 0)).isEqualTo(-Errno.ETIMEDOUT);
        assertThat(MessageQueues.receive(receiver, buffer, 5_000_000)).isEqualTo(-Errno.ETIMEDOUT);
        CompletableFuture<Integer> waiting =
                CompletableFuture.supplyAsync(
                        () ->
                                MessageQueues.receive(
                                        receiver, new QueueBuffer(64), 30_000_000_000L));
        assertThat(MessageQueues.send(sender, buffer, 3)).isZero();
        assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo(24);
        MessageQueues.close(sender);
        MessageQueues.close(receiver);
    }

    // The kernel's own wait would end at a time of the wall clock. In which call a thread is, the
    // system says; no test can set that clock back.
    @Test
    void aWaitIsNotMeasuredByTheWallClock() throws Exception {
        int receiver = MessageQueues.create(name, End.RECEIVE_WAITING, 1, 64);
        int sender = MessageQueues.open(name, End.SEND);
        CompletableFuture<Path> own = new CompletableFuture<>();
        CompletableFuture<Integer> waiting =
                CompletableFuture.supplyAsync(
                        () -> {
                            own.complete(callOfThisThread());
                            QueueBuffer mine = new QueueBuffer(64);
                            return MessageQueues.receive(receiver, mine, 30_000_000_000L);
                        });
        try {
            Path call = own.get(20, TimeUnit.SECONDS);
            String state = Files.readString(call);
            while (!state.startsWith(PPOLL) && !waiting.isDone()) {
                assertThat(state).as("a wait by the wall clock").doesNotStartWith(MQ_TIMEDRECEIVE);
                state = Files.readString(call);
            }
        } finally {
            assertThat(MessageQueues.send(sender, buffer, 3)).isZero();
        }
        assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo(24);
        MessageQueues.close(sender);
        MessageQueues.close(receiver);
    }

    private static Path callOfThisThread() {
        try {
            return Path.of("/proc/thread-self").toRealPath().resolve("syscall");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void onlyTheOwnerMayOpenThem() throws Exception {
        int receiver = MessageQueues.create(name, End.RECEIVE, 1, 64);

        Path descriptor = Path.of("/proc/self/fd/" + receiver);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(descriptor)))
                .isEqualTo("rw-------");
        MessageQueues.close(receiver);
    }

    @Test
    void aNameIsTakenOnceAndGoesWithItsRemoval() {
        int receiver = MessageQueues.create(name, End.RECEIVE, 1, 64);

        assertThat(MessageQueues.create(name, End.RECEIVE, 1, 64)).isEqualTo(-Errno.EEXIST);
        assertThat(MessageQueues.unlink(name)).isZero();
        assertThat(MessageQueues.unlink(name)).isEqualTo(-Errno.ENOENT);
        assertThat(MessageQueues.open(name, End.SEND)).isEqualTo(-Errno.ENOENT);
        assertThat(MessageQueues.queued(receiver, buffer)).as("still open").isZero();
        MessageQueues.close(receiver);
    }

    @Test
    void whatTheMachineDoesNotAllowHasAnErrorNumber() {
        assertThat(MessageQueues.create(name, End.RECEIVE, 1 << 20, 64))
                .isIn(-Errno.EINVAL, -Errno.EMFILE);
        int receiver = MessageQueues.create(name, End.RECEIVE, 1, 1024);
        assertThat(MessageQueues.receive(receiver, buffer, 0)).isEqualTo(-Errno.EMSGSIZE);
        MessageQueues.close(receiver);
    }
}

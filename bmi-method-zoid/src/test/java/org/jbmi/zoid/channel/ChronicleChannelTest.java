package org.jbmi.zoid.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zoid.ZoidWorld;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The folder of a channel through Chronicle Queues: whose it is, and when it goes. */
@Timeout(120)
class ChronicleChannelTest {
    private final ZoidWorld world = new ZoidWorld();

    @BeforeEach
    void choose() {
        world.daemonKnob("zbmi.commandChannel", "chronicle");
    }

    @AfterEach
    void close() {
        world.close();
    }

    private List<Path> folders() {
        try (Stream<Path> files = Files.list(world.directory())) {
            return files.filter(file -> file.getFileName().toString().startsWith("chronicle-"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void exchange() throws Exception {
        Bmi server = ChannelChild.openServer(world.directory(), "chronicle");
        try (EchoServer echo = new EchoServer(server, 2);
                EchoClient client = new EchoClient(world.client(), 1)) {
            assertThat(echo).isNotNull();
            for (int i = 0; i < 100; i++) {
                assertThat(client.exchange()).isTrue();
            }
            assertThat(folders()).isNotEmpty();
            for (Path folder : folders()) {
                assertThat(Files.getPosixFilePermissions(folder))
                        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
            }
        }
    }

    private void awaitFolders(int count) {
        ZoidWorld.await(count + " folders", 20_000, () -> folders().size() == count);
    }

    @Test
    void theFolderGoesWithItsSession() throws Exception {
        world.startDaemon();
        for (int i = 0; i < 2; i++) {
            exchange();
            awaitFolders(0);
        }
    }

    @Test
    void orStaysIfItShall() throws Exception {
        world.daemonKnob("zbmi.keepChannelFiles", "true").startDaemon();
        for (int i = 1; i <= 2; i++) {
            exchange();
            awaitFolders(i);
        }
        world.stopDaemon();
        awaitFolders(2);
        assertThat(folders())
                .allSatisfy(
                        folder -> {
                            assertThat(folder.resolve("commands")).isNotEmptyDirectory();
                            assertThat(folder.resolve("events")).isNotEmptyDirectory();
                        });
    }

    @Test
    void aServerThatGoesWhileTheQueuesAreBeingOpenedLeavesNothing() throws Exception {
        world.startDaemon();
        AttachRequest request =
                new AttachRequest(
                        world.runtime().resolve("daemon.sock"),
                        PeerRole.SERVER,
                        "chronicle",
                        TimeUnit.SECONDS.toNanos(20),
                        new FutexWaiting(),
                        NanoClock.SYSTEM,
                        new ProcessLiveness());
        connect(request).close();
        awaitFolders(0);
        exchange();
        awaitFolders(0);
        PeerAttachment last = connect(request);
        world.stopDaemon();
        assertThat(folders()).isEmpty();
        last.close();
    }

    @Test
    void whatHasStayedWithoutItsSegmentGoesWithTheNextDaemon() throws IOException {
        Path folder = world.directory().resolve("chronicle-zbmi-1-ff-7");
        Files.createDirectories(folder.resolve("events"));
        world.startDaemon();
        assertThat(folders()).isEmpty();
    }

    /** Tries again while the daemon is at the end of the session before. */
    private static PeerAttachment connect(AttachRequest request) {
        long end = System.nanoTime() + 20_000_000_000L;
        while (true) {
            try {
                return PeerAttachment.connect(request);
            } catch (BmiException e) {
                if (e.code() != ErrorCode.EBUSY || System.nanoTime() - end > 0) {
                    throw e;
                }
            }
        }
    }
}

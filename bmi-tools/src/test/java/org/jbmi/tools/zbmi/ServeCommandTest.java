package org.jbmi.tools.zbmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.host.place.HostLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

@Timeout(60)
class ServeCommandTest extends DaemonRuns {
    private final Logger logger = Logger.getLogger(ZbmiDaemon.class.getName());
    private final Handler failing = new Failing();

    /** Ends the thread that reports an error, as a fault in it does. A lack of memory does not. */
    private static final class Failing extends Handler {
        @Override
        public void publish(LogRecord report) {
            throw new AssertionError("played");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private void breakSessions(ZbmiDaemon daemon) throws IOException {
        logger.addHandler(failing);
        try (SocketChannel peer =
                SocketChannel.open(UnixDomainSocketAddress.of(daemon.directory().socket()))) {
            peer.write(ByteBuffer.allocate(64));
            while (daemon.isHealthy()) {
                assertThat(Thread.interrupted()).as("the watchdog").isFalse();
            }
        } finally {
            logger.removeHandler(failing);
        }
    }

    @Test
    void aSignalToADaemonThatHasFailedLeavesNoFiles() throws IOException {
        try (ZbmiDaemon daemon = start()) {
            breakSessions(daemon);
            ServeCommand.end(daemon, new CountDownLatch(1));
            assertThat(daemon.segmentFile()).doesNotExist();
            assertThat(daemon.directory().pid()).doesNotExist();
        }
    }

    /** It reports that it cannot remove the pid file, after the segment has gone. */
    @Test
    void aCloseThatFindsNoMemoryIsRepeated() throws IOException {
        Logger lock = Logger.getLogger(HostLock.class.getName());
        ZbmiDaemon daemon = start();
        breakSessions(daemon); // a healthy one would end this process
        Path pid = daemon.directory().pid();
        Files.delete(pid);
        Path obstacle = Files.createDirectories(pid.resolve("obstacle"));
        lock.setFilter(
                report -> {
                    assertThat(obstacle.toFile().delete()).as("first report").isTrue();
                    throw new OutOfMemoryError("played");
                });
        try {
            ServeCommand.end(daemon, new CountDownLatch(1));
        } finally {
            lock.setFilter(null);
        }
        start().close();
    }

    @Test
    void theEndOfADaemonByASignalIsNoFailure() throws Exception {
        CountDownLatch ending = new CountDownLatch(1);
        ZbmiDaemon daemon = start();
        daemon.close();
        assertThatThrownBy(() -> ServeCommand.awaitEnd(daemon, ending))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("has failed");
        ending.countDown();
        ServeCommand.awaitEnd(daemon, ending);
    }

    private ZbmiDaemon start() throws IOException {
        return ZbmiDaemon.builder()
                .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                .knob("zbmi.segmentDirectory", segments().toString())
                .knob("zbmi.totalBytes", "4m")
                .start();
    }
}

package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A daemon that is there, and does not answer. */
@Timeout(30)
class HandshakeSocketTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(5);

    @Test
    void aThreadThatIsInterruptedDoesNotWaitForTheAnswer(@TempDir Path directory) throws Exception {
        Path path = directory.resolve("daemon");
        try (ServerSocketChannel daemon = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            daemon.bind(UnixDomainSocketAddress.of(path));
            long deadlineNs = SystemNanoClock.INSTANCE.nanoTime() + PATIENCE_NS;
            HandshakeSocket socket =
                    HandshakeSocket.connect(path, SystemNanoClock.INSTANCE, deadlineNs);
            Thread.currentThread().interrupt();
            BmiException failure = catchThrowableOfType(BmiException.class, socket::receive);
            boolean isStillInterrupted = Thread.interrupted();
            socket.closeUnlessReleased();

            assertThat(failure.code()).isEqualTo(ErrorCode.EINTR);
            assertThat(isStillInterrupted).isTrue();
        }
    }
}

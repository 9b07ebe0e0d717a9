package org.jbmi.zbmi.attach;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.FutureTask;

@Timeout(60)
class PeerSocketTest {
    /** That thread may have read before the end came, so the caller has to look again. */
    @Test
    void aCallerLearnsThatAnotherThreadReads(@TempDir Path directory) throws Exception {
        var address = UnixDomainSocketAddress.of(directory.resolve("host"));
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address);
            try (SocketChannel near = SocketChannel.open(address);
                    SocketChannel host = listener.accept()) {
                var socket = new PeerSocket(near); // blocking, so a reader stays in it
                var reading = new FutureTask<>(socket::drain);
                var reader = new Thread(reading, "reader");
                reader.start();
                while (!isReading(reader)) {
                    Thread.onSpinWait();
                }

                assertThat(socket.drain()).isEqualTo(PeerSocket.BUSY);

                host.shutdownOutput();
                assertThat(reading.get()).isEqualTo(PeerSocket.ENDED);
                reader.join();
            }
        }
    }

    private static boolean isReading(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("read"));
    }
}

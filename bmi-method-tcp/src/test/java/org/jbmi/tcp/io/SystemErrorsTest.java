package org.jbmi.tcp.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.os.ErrorTexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Failures of sockets have their codes in every language of the system. */
@Timeout(30)
class SystemErrorsTest {
    private static ErrorCode codeOf(Exception failure) {
        return SystemErrors.codeOf(failure, ErrorCode.EIO);
    }

    @Test
    void wordsMeanNothing() {
        assertThat(codeOf(new IOException("zu viele offene Dateien: broken pipe, timed out")))
                .isEqualTo(ErrorCode.EIO);
        assertThat(codeOf(new SocketException("my network is unreachable")))
                .isEqualTo(ErrorCode.EIO);
        assertThat(codeOf(new IOException((String) null))).isEqualTo(ErrorCode.EIO);
    }

    @Test
    void typesTellWithoutWords() {
        assertThat(codeOf(new ConnectException("Verbindungsaufbau abgelehnt")))
                .isEqualTo(ErrorCode.ECONNREFUSED);
        assertThat(codeOf(new NoRouteToHostException("Keine Route zum Zielrechner")))
                .isEqualTo(ErrorCode.EHOSTUNREACH);
        assertThat(codeOf(new BindException("Die Adresse wird bereits verwendet")))
                .isEqualTo(ErrorCode.EADDRINUSE);
        assertThat(codeOf(new ClosedChannelException())).isEqualTo(ErrorCode.EPIPE);
    }

    @Test
    void numbersAreFoundByTheSystemsOwnTexts() throws IOException {
        ErrorTexts texts = ErrorTexts.read();
        // What the running system says when a pipe breaks, in whatever language.
        Pipe pipe = Pipe.open();
        pipe.source().close();
        IOException broken = null;
        try (Pipe.SinkChannel sink = pipe.sink()) {
            sink.write(ByteBuffer.allocate(1));
        } catch (IOException e) {
            broken = e;
        }
        assertThat(broken).isNotNull();
        int errno = texts.errnoOf(broken.getMessage());
        assertThat(errno).isIn(32, 0); // 0 where native access is not enabled
        assertThat(codeOf(new IOException(broken.getMessage()))).isEqualTo(ErrorCode.EPIPE);
        assertThat(texts.errnoOf("no such text")).isZero();
        assertThat(texts.errnoOf(null)).isZero();
    }

    /** Its type says nothing of it. */
    @Test
    void aNumberThatIsRareForASocketHasItsOwnCode() throws IOException {
        try (FileChannel full = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE)) {
            assertThatThrownBy(() -> full.write(ByteBuffer.allocate(1)))
                    .isInstanceOfSatisfying(
                            IOException.class, SystemErrorsTest::assertNoSpaceIsLeft);
        }
    }

    private static void assertNoSpaceIsLeft(IOException failure) {
        int errno = ErrorTexts.read().errnoOf(failure.getMessage());
        assertThat(errno).isIn(28, 0); // 0 where native access is not enabled
        assertThat(codeOf(failure)).isEqualTo(errno == 0 ? ErrorCode.EIO : ErrorCode.ENOSPC);
    }
}

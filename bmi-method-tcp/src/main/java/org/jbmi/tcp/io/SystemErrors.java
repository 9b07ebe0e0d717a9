package org.jbmi.tcp.io;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.os.ErrorTexts;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/**
 * The code of a socket's exception. Java hides the system's error number and gives its text, in the
 * language of the system. So tcp finds the number by the system's own texts. Without these, it uses
 * the type of the exception and the place where it was thrown.
 */
public final class SystemErrors {
    // Numbers of Linux, the only system whose texts are read. The C library translates neither.
    private static final int ENFILE = 23;
    private static final int ECONNABORTED = 103;

    /** The texts of this process; read once, at the first error. */
    private static final class Known {
        static final ErrorTexts TEXTS = ErrorTexts.read();
        static final String BROKEN_PIPE = brokenPipe();
    }

    private SystemErrors() {}

    /**
     * The code of a failure.
     *
     * @param otherwise the code if neither number nor type is known
     */
    public static ErrorCode codeOf(Exception failure, ErrorCode otherwise) {
        ErrorCode byNumber = byNumber(failure);
        if (byNumber != null) {
            return byNumber;
        }
        return switch (failure) {
            case NoRouteToHostException e -> ErrorCode.EHOSTUNREACH;
            case BindException e -> ErrorCode.EADDRINUSE;
            case ConnectException e -> ErrorCode.ECONNREFUSED;
            case ClosedChannelException e -> ErrorCode.EPIPE;
            case UnresolvedAddressException e -> ErrorCode.EHOSTNTFD;
            case UnsupportedAddressTypeException e -> ErrorCode.EADDRNOTAVAIL;
            default -> otherwise;
        };
    }

    private static @Nullable ErrorCode byNumber(Exception failure) {
        if (!(failure instanceof IOException) || failure instanceof ClosedChannelException) {
            return null;
        }
        try {
            return byText(failure.getMessage());
        } catch (LinkageError e) {
            return null; // without descriptors not even classes can be loaded
        }
    }

    private static @Nullable ErrorCode byText(@Nullable String text) {
        int errno = Known.TEXTS.errnoOf(text);
        return switch (errno) {
            case 0 -> Known.BROKEN_PIPE.equals(text) ? ErrorCode.EPIPE : null;
            case ENFILE -> ErrorCode.EMFILE;
            case ECONNABORTED -> ErrorCode.ECONNRESET;
            default -> ErrorCode.ofErrno(errno);
        };
    }

    /** The text of a broken pipe, taken from a pipe that is broken on purpose. */
    private static String brokenPipe() {
        try {
            Pipe pipe = Pipe.open();
            pipe.source().close();
            try (Pipe.SinkChannel sink = pipe.sink()) {
                sink.write(ByteBuffer.allocate(1));
            }
        } catch (IOException e) {
            String text = e.getMessage();
            return text == null ? "" : text;
        }
        return "";
    }
}

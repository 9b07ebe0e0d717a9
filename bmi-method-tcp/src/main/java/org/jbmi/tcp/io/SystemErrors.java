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
    // Numbers of Linux, the only system whose texts are read.
    private static final int ENOMEM = 12;
    private static final int EACCES = 13;
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;
    private static final int EPIPE = 32;
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ENETDOWN = 100;
    private static final int ENETUNREACH = 101;
    private static final int ECONNABORTED = 103;
    private static final int ECONNRESET = 104;
    private static final int ENOBUFS = 105;
    private static final int ETIMEDOUT = 110;
    private static final int ECONNREFUSED = 111;
    private static final int EHOSTUNREACH = 113;

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
        return switch (Known.TEXTS.errnoOf(text)) {
            case EMFILE, ENFILE -> ErrorCode.EMFILE;
            case ENOMEM -> ErrorCode.ENOMEM;
            case EPIPE -> ErrorCode.EPIPE;
            case EACCES -> ErrorCode.EACCES;
            case EADDRINUSE -> ErrorCode.EADDRINUSE;
            case EADDRNOTAVAIL -> ErrorCode.EADDRNOTAVAIL;
            case ENETDOWN -> ErrorCode.ENETDOWN;
            case ENETUNREACH -> ErrorCode.ENETUNREACH;
            case ECONNABORTED, ECONNRESET -> ErrorCode.ECONNRESET;
            case ENOBUFS -> ErrorCode.ENOBUFS;
            case ETIMEDOUT -> ErrorCode.ETIMEDOUT;
            case ECONNREFUSED -> ErrorCode.ECONNREFUSED;
            case EHOSTUNREACH -> ErrorCode.EHOSTUNREACH;
            default -> Known.BROKEN_PIPE.equals(text) ? ErrorCode.EPIPE : null;
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

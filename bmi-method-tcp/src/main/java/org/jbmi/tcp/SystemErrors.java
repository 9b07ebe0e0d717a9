package org.jbmi.tcp;

import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Locale;

/** Which code an exception of a socket means; Java keeps the system's number to itself. */
final class SystemErrors {
    private SystemErrors() {}

    /** The code of a failure, {@code otherwise} where its text says nothing. */
    static ErrorCode codeOf(Exception failure, ErrorCode otherwise) {
        String message = failure.getMessage();
        ErrorCode byText =
                message == null ? null : byText(message.toLowerCase(Locale.ROOT), failure);
        if (byText != null) {
            return byText;
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

    /** Whether there is no descriptor left, in the process or in the system. */
    static boolean isOutOfDescriptors(Exception failure) {
        return codeOf(failure, ErrorCode.EIO) == ErrorCode.EMFILE;
    }

    private static @Nullable ErrorCode byText(String message, Exception failure) {
        if (message.contains("too many open files")) {
            return ErrorCode.EMFILE;
        }
        if (message.contains("connection reset") || message.contains("connection aborted")) {
            return ErrorCode.ECONNRESET;
        }
        if (message.contains("broken pipe")) {
            return ErrorCode.EPIPE;
        }
        if (message.contains("timed out")) {
            return ErrorCode.ETIMEDOUT;
        }
        if (message.contains("network is unreachable")) {
            return ErrorCode.ENETUNREACH;
        }
        if (message.contains("network is down")) {
            return ErrorCode.ENETDOWN;
        }
        if (message.contains("permission denied")) {
            return ErrorCode.EACCES;
        }
        if (message.contains("cannot assign requested address")) {
            return ErrorCode.EADDRNOTAVAIL;
        }
        boolean noBuffers = message.contains("no buffer space") && failure instanceof IOException;
        return noBuffers ? ErrorCode.ENOBUFS : null;
    }
}

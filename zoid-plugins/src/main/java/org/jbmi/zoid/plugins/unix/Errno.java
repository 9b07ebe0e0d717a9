package org.jbmi.zoid.plugins.unix;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.List;

/** Error numbers of Linux for what Java's files throw, as negative numbers. */
final class Errno {
    static final int EBADF = -9;
    static final int ENOMEM = -12;
    static final int EBUSY = -16;
    static final int EINVAL = -22;
    static final int EMFILE = -24;
    static final int EACCES = -13;
    static final int ENOENT = -2;
    static final int EISDIR = -21;
    static final int ERANGE = -34;
    static final int ESTALE = -116;
    static final int ENOTDIR = -20;
    private static final int EIO = -5;
    private static final int EEXIST = -17;
    private static final int ENOTEMPTY = -39;
    private static final int ELOOP = -40;

    /**
     * What the system says, where Java has no exception of its own for it. Words that begin like
     * longer ones come after them.
     */
    private static final List<Words> WORDS =
            List.of(
                    new Words("Operation not permitted", -1),
                    new Words("No such file", ENOENT),
                    new Words("Interrupted system call", -4),
                    new Words("No such device or address", -6),
                    new Words("Bad file descriptor", EBADF),
                    new Words("Resource temporarily unavailable", -11),
                    new Words("Cannot allocate memory", ENOMEM),
                    new Words("Permission denied", EACCES),
                    new Words("Device or resource busy", EBUSY),
                    new Words("File exists", EEXIST),
                    new Words("cross-device", -18),
                    new Words("No such device", -19),
                    new Words("Not a directory", ENOTDIR),
                    new Words("Is a directory", EISDIR),
                    new Words("Invalid argument", EINVAL),
                    new Words("Too many open files in system", -23),
                    new Words("Too many open files", EMFILE),
                    new Words("Text file busy", -26),
                    new Words("File too large", -27),
                    new Words("No space left", -28),
                    new Words("Illegal seek", -29),
                    new Words("Read-only file system", -30),
                    new Words("Too many links", -31),
                    new Words("Broken pipe", -32),
                    new Words("File name too long", -36),
                    new Words("No locks available", -37),
                    new Words("Function not implemented", -38),
                    new Words("Directory not empty", ENOTEMPTY),
                    new Words("Too many levels", ELOOP),
                    new Words("Protocol error", -71),
                    new Words("Value too large", -75),
                    new Words("Operation not supported", -95),
                    new Words("Transport endpoint is not connected", -107),
                    new Words("Connection timed out", -110),
                    new Words("Host is down", -112),
                    new Words("Stale file handle", ESTALE),
                    new Words("Structure needs cleaning", -117),
                    new Words("Remote I/O error", -121),
                    new Words("Disk quota", -122),
                    new Words("Required key not available", -126));

    private record Words(String text, int number) {}

    private Errno() {}

    static int of(IOException e) {
        return switch (e) {
            case NoSuchFileException gone -> isBelowFile(gone.getFile()) ? ENOTDIR : ENOENT;
            case FileAlreadyExistsException _ -> EEXIST;
            case AccessDeniedException _ -> EACCES;
            case DirectoryNotEmptyException _ -> ENOTEMPTY;
            case NotDirectoryException _ -> ENOTDIR;
            case FileSystemLoopException _ -> ELOOP;
            case NotLinkException _ -> EINVAL;
            case ClosedChannelException _ -> EBADF;
            default -> byWords(e);
        };
    }

    /**
     * Whether a folder of a path is a file, which Java does not tell from one that is not there.
     */
    private static boolean isBelowFile(@Nullable String path) {
        Path parent = path == null ? null : Path.of(path).getParent();
        while (parent != null && !Files.exists(parent)) {
            parent = parent.getParent();
        }
        return parent != null && !Files.isDirectory(parent);
    }

    static int of(RuntimeException e) {
        return e instanceof NonReadableChannelException || e instanceof NonWritableChannelException
                ? EBADF
                : EINVAL;
    }

    private static int byWords(IOException e) {
        String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
        String said = String.valueOf(reason == null ? e.getMessage() : reason);
        for (Words words : WORDS) {
            if (said.contains(words.text())) {
                return words.number();
            }
        }
        return EIO;
    }
}

package org.jbmi.zoid.plugins.unix;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Error numbers of Linux for what Java's files throw, as negative numbers. */
final class Errno {
    static final int EBADF = -9;
    static final int ENOMEM = -12;
    static final int EINVAL = -22;
    static final int EMFILE = -24;
    static final int EACCES = -13;
    static final int ENOENT = -2;
    static final int EISDIR = -21;
    static final int ERANGE = -34;
    static final int ESTALE = -116;
    private static final int EIO = -5;

    /** What the system says, where Java has no exception of its own for it. */
    private static final Map<String, Integer> WORDS = words();

    private Errno() {}

    private static Map<String, Integer> words() {
        Map<String, Integer> words = new LinkedHashMap<>();
        words.put("Is a directory", EISDIR);
        words.put("Not a directory", -20);
        words.put("No space left", -28);
        words.put("Read-only file system", -30);
        words.put("Too many open files", EMFILE);
        words.put("File name too long", -36);
        words.put("Too many levels", -40);
        words.put("Operation not permitted", -1);
        words.put("Permission denied", EACCES);
        words.put("Invalid argument", EINVAL);
        words.put("cross-device", -18);
        words.put("File too large", -27);
        words.put("Disk quota", -122);
        words.put("No such device or address", -6);
        words.put("No such file", ENOENT);
        return Map.copyOf(words);
    }

    static int of(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> ENOENT;
            case FileAlreadyExistsException _ -> -17;
            case AccessDeniedException _ -> EACCES;
            case DirectoryNotEmptyException _ -> -39;
            case NotDirectoryException _ -> -20;
            case FileSystemLoopException _ -> -40;
            case NotLinkException _ -> EINVAL;
            case ClosedChannelException _ -> EBADF;
            default -> byWords(e);
        };
    }

    static int of(RuntimeException e) {
        return e instanceof NonReadableChannelException || e instanceof NonWritableChannelException
                ? EBADF
                : EINVAL;
    }

    private static int byWords(IOException e) {
        String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
        String said = String.valueOf(reason == null ? e.getMessage() : reason);
        for (Map.Entry<String, Integer> entry : WORDS.entrySet()) {
            if (said.contains(entry.getKey())) {
                return entry.getValue();
            }
        }
        return EIO;
    }
}

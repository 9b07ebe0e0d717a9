package org.jbmi.zoidfs.nio;

import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Status;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Maps a server's status to the exceptions of {@code java.nio.file}. */
final class Failures {
    private Failures() {}

    static IOException of(ZoidfsException failure, Object file) {
        String name = file.toString();
        IOException known =
                switch (failure.status()) {
                    case Status.NOENT -> new NoSuchFileException(name);
                    case Status.STALE -> new NoSuchFileException(name, null, reason(failure));
                    case Status.EXIST -> new FileAlreadyExistsException(name);
                    case Status.ACCES, Status.PERM -> new AccessDeniedException(name);
                    case Status.NOTEMPTY -> new DirectoryNotEmptyException(name);
                    case Status.NOTDIR -> new NotDirectoryException(name);
                    default -> new FileSystemException(name, null, reason(failure));
                };
        known.initCause(failure);
        return known;
    }

    /** Whether a server has answered with this status. */
    static boolean is(int status, IOException failure) {
        return failure.getCause() instanceof ZoidfsException cause && cause.status() == status;
    }

    private static String reason(ZoidfsException failure) {
        boolean answered = failure.getCause() == null;
        return answered ? Status.text(failure.status()) : String.valueOf(failure.getMessage());
    }
}

package org.jbmi.zoid.plugins.unix;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;

/** Opens files as open(2) does it, with the flags and the mode of a client. */
final class Opener {
    private static final int ACCESS_MODE = 3;
    private static final int WRITE_ONLY = 1;
    private static final int READ_WRITE = 2;
    private static final int CREATE = 0100;
    private static final int EXCLUSIVE = 0200;
    private static final int TRUNCATE = 01000;
    private static final int APPEND = 02000;
    private static final int FOLDER = 0200000;
    private static final int NO_FOLLOW = 0400000;
    private static final int OWNER = 0600;
    private static final int FILE_KIND = 0170000;
    private static final int FIFO = 0010000;
    private static final String PERMISSIONS = "rwxrwxrwx";

    private Opener() {}

    /**
     * Opens what a path of a client names; {@link Errno} has the error number of each exception.
     */
    static OpenFile open(Root root, String path, int flags, int mode) throws IOException {
        if ((flags & CREATE) != 0 && (flags & FOLDER) != 0) {
            throw new FileSystemException(path, null, "Invalid argument"); // as newer kernels do
        }
        if ((flags & CREATE) != 0 && Root.meansFolder(path) && Root.isInFolder(root.name(path))) {
            throw folderFailure(path);
        }
        return open(root.resolve(path), flags, mode);
    }

    private static FileSystemException folderFailure(String path) {
        return new FileSystemException(path, null, "Is a directory");
    }

    private static OpenFile open(Path file, int flags, int mode) throws IOException {
        if ((flags & FOLDER) != 0 && Files.exists(file) && !Files.isDirectory(file)) {
            throw new NotDirectoryException(file.toString());
        }
        boolean writes = (flags & ACCESS_MODE) != 0;
        if (!mustBeNew(flags)) {
            if ((writes || (flags & CREATE) != 0) && Files.isDirectory(file)) {
                throw folderFailure(file.toString());
            }
            refuseFifo(file);
        }
        boolean appends = writes && (flags & APPEND) != 0;
        if ((flags & CREATE) != 0 && (appends || !writes)) {
            return create(file, flags, mode, appends);
        }
        return OpenFile.open(file, options(flags), attribute(mode), appends);
    }

    /**
     * Creates the file before it opens it. Java creates only what it opens for writing, and opens a
     * file twice for appending. The mode may allow neither the reading nor the second open. If the
     * open fails, the new file stays, with these rights of its owner too: another process may use
     * it by then.
     */
    private static OpenFile create(Path file, int flags, int mode, boolean appends)
            throws IOException {
        boolean isNew = create(file, flags, mode);
        OpenFile open = OpenFile.open(file, options(flags & ~CREATE), attribute(mode), appends);
        try {
            if (isNew && (mode & OWNER) != OWNER && open.isAtPath()) {
                Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(file);
                allowed.retainAll(permissions(mode));
                Files.setPosixFilePermissions(file, allowed);
            }
            return open;
        } catch (IOException | RuntimeException | Error e) {
            open.close();
            throw e;
        }
    }

    /** Returns whether the file is new: then its owner may read and write it for now. */
    private static boolean create(Path file, int flags, int mode) throws IOException {
        try {
            touch(file, StandardOpenOption.CREATE_NEW, flags, mode | OWNER);
            return true;
        } catch (FileAlreadyExistsException e) {
            if (mustBeNew(flags)) {
                throw e;
            }
            if (Files.notExists(file)) { // a link to a file that is not there
                touch(file, StandardOpenOption.CREATE, flags, mode); // or another one's by now
            }
            return false;
        }
    }

    private static void touch(Path file, OpenOption how, int flags, int mode) throws IOException {
        Set<OpenOption> options = options((flags & NO_FOLLOW) | WRITE_ONLY);
        options.add(how);
        Files.newByteChannel(file, options, attribute(mode)).close();
    }

    private static FileAttribute<?> attribute(int mode) {
        return PosixFilePermissions.asFileAttribute(permissions(mode));
    }

    private static boolean mustBeNew(int flags) {
        return (flags & CREATE) != 0 && (flags & EXCLUSIVE) != 0;
    }

    /**
     * The open of a FIFO waits for the other side, and an interrupt does not end it. Meanwhile it
     * keeps a carrier thread, of which the server has as many as cores. A file that becomes a FIFO
     * after this look still does so; Java has no open that does not wait.
     */
    private static void refuseFifo(Path file) throws IOException {
        boolean isFifo = false;
        try {
            isFifo =
                    Files.exists(file)
                            && Files.getAttribute(file, "unix:mode") instanceof Integer mode
                            && (mode & FILE_KIND) == FIFO;
        } catch (NoSuchFileException e) {
            // It has gone since.
        }
        if (isFifo) {
            throw new FileSystemException(file.toString(), null, "No such device or address");
        }
    }

    private static Set<OpenOption> options(int flags) {
        Set<OpenOption> options = new HashSet<>();
        int access = flags & ACCESS_MODE;
        if (access != WRITE_ONLY) {
            options.add(StandardOpenOption.READ);
        }
        if (access == WRITE_ONLY || access == READ_WRITE) {
            options.add(StandardOpenOption.WRITE);
            if ((flags & TRUNCATE) != 0) {
                options.add(StandardOpenOption.TRUNCATE_EXISTING);
            }
            if ((flags & CREATE) != 0) {
                boolean exclusive = (flags & EXCLUSIVE) != 0;
                options.add(exclusive ? StandardOpenOption.CREATE_NEW : StandardOpenOption.CREATE);
            }
        }
        if ((flags & NO_FOLLOW) != 0) {
            options.add(LinkOption.NOFOLLOW_LINKS);
        }
        return options;
    }

    /** The permissions that the lowest nine bits of a mode name. */
    static Set<PosixFilePermission> permissions(int mode) {
        StringBuilder words = new StringBuilder(PERMISSIONS);
        for (int bit = 0; bit < PERMISSIONS.length(); bit++) {
            if ((mode & 0400 >> bit) == 0) {
                words.setCharAt(bit, '-');
            }
        }
        return PosixFilePermissions.fromString(words.toString());
    }
}

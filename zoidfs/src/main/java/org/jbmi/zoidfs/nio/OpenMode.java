package org.jbmi.zoidfs.nio;

import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.List;
import java.util.Set;

/**
 * How a file is opened.
 *
 * @param reads whether it can be read
 * @param writes whether it can be written
 * @param appends whether each write goes to the end
 * @param syncs whether each write is durable when it returns
 * @param deletesAtEnd whether it is removed when it is closed
 */
record OpenMode(
        boolean reads, boolean writes, boolean appends, boolean syncs, boolean deletesAtEnd) {

    private static OpenMode of(Set<? extends OpenOption> options) {
        for (OpenOption option : options) {
            if (!(option instanceof StandardOpenOption) && option != LinkOption.NOFOLLOW_LINKS) {
                throw new UnsupportedOperationException("The option " + option + " is not known");
            }
        }
        boolean appends = options.contains(StandardOpenOption.APPEND);
        boolean writes = appends || options.contains(StandardOpenOption.WRITE);
        boolean reads = options.contains(StandardOpenOption.READ) || !writes;
        if (appends && reads) {
            throw new IllegalArgumentException("READ and APPEND do not go together");
        }
        if (appends && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
            throw new IllegalArgumentException("APPEND and TRUNCATE_EXISTING do not go together");
        }
        boolean syncs =
                options.contains(StandardOpenOption.SYNC)
                        || options.contains(StandardOpenOption.DSYNC);
        return new OpenMode(
                reads,
                writes,
                appends,
                syncs,
                options.contains(StandardOpenOption.DELETE_ON_CLOSE));
    }

    /** Opens a file, and creates it if the mode asks for that. */
    static ZoidfsFileChannel open(
            ZoidfsPath path, Set<? extends OpenOption> options, List<FileAttribute<?>> attributes)
            throws IOException {
        OpenMode mode = of(options);
        return Operations.retryIfStale(() -> openOnce(mode, path, options, attributes));
    }

    private static ZoidfsFileChannel openOnce(
            OpenMode mode,
            ZoidfsPath path,
            Set<? extends OpenOption> options,
            List<FileAttribute<?>> attributes)
            throws IOException {
        Operations operations = path.getFileSystem().operations();
        boolean followLinks = !options.contains(LinkOption.NOFOLLOW_LINKS);
        Operations.Made existing = null;
        boolean makesNew = mode.writes && options.contains(StandardOpenOption.CREATE_NEW);
        if (makesNew || (mode.writes && options.contains(StandardOpenOption.CREATE))) {
            SettableAttributes settable = settable(attributes);
            Operations.Made made;
            try {
                made = operations.create(path, settable, followLinks && !makesNew);
            } catch (FileSystemException e) {
                throw makesNew && Failures.is(Status.ISDIR, e) ? exists(path) : e;
            }
            if (makesNew && !made.isNew()) {
                throw exists(path);
            }
            if (made.isNew()) {
                return new ZoidfsFileChannel(mode, made.path(), made.handle());
            }
            existing = made;
        }
        // By the handle, if there is one: if the file is removed meanwhile, the handle is stale.
        Operations.Found found =
                existing == null
                        ? operations.find(path, followLinks)
                        : operations.found(path, existing);
        if (!found.facts().isRegularFile()) {
            String reason =
                    found.facts().isDirectory() ? "is a directory" : "is not a regular file";
            throw new FileSystemException(path.toString(), null, reason);
        }
        if (mode.writes && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
            Operations.doing(path, () -> operations.client().resize(found.handle(), 0));
        }
        return new ZoidfsFileChannel(mode, found.path(), found.handle());
    }

    private static FileSystemException exists(ZoidfsPath path) {
        return new FileAlreadyExistsException(path.toString());
    }

    /** Without a mode the server uses its default and its mask. */
    static SettableAttributes settable(List<FileAttribute<?>> attributes) {
        int mode = NamedAttributes.mode(attributes, -1);
        return mode < 0 ? SettableAttributes.NONE : SettableAttributes.ofMode(mode);
    }
}

package org.jbmi.zoidfs.nio;

import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.AttributeMask;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** Copies and moves of files, on one server or between two. */
final class Copying {
    private static final int PART_BYTES = 4 << 20;

    private final ZoidfsPath source;
    private final ZoidfsPath target;
    private final Operations from;
    private final Operations to;
    private final List<CopyOption> options;

    Copying(ZoidfsPath source, ZoidfsPath target, CopyOption... options) {
        this.source = source;
        this.target = target;
        this.from = source.getFileSystem().operations();
        this.to = target.getFileSystem().operations();
        this.options = List.of(options);
        for (CopyOption option : options) {
            if (!(option instanceof StandardCopyOption) && option != LinkOption.NOFOLLOW_LINKS) {
                throw new UnsupportedOperationException("The option " + option + " is not known");
            }
        }
    }

    private boolean isInOneFileSystem() {
        return source.getFileSystem() == target.getFileSystem();
    }

    void copy() throws IOException {
        if (options.contains(StandardCopyOption.ATOMIC_MOVE)) {
            throw new UnsupportedOperationException("A copy is not atomic");
        }
        boolean followLinks = !options.contains(LinkOption.NOFOLLOW_LINKS);
        Operations.Found found = from.find(source, followLinks);
        Operations.Found there = to.findIfThere(target);
        if (there != null && isSame(found, there)) {
            return;
        }
        makeRoom(there);
        copy(found, options.contains(StandardCopyOption.COPY_ATTRIBUTES));
    }

    /**
     * Two file systems may be of one server, which has two addresses. Files of two servers may have
     * the same key, but a server makes its handles with a secret of its own.
     */
    private boolean isSame(Operations.Found one, Operations.Found other) {
        return one.facts().fileKey().equals(other.facts().fileKey())
                && (isInOneFileSystem() || one.handle().equals(other.handle()));
    }

    private void makeRoom(Operations.@Nullable Found there) throws IOException {
        if (there != null) {
            if (!options.contains(StandardCopyOption.REPLACE_EXISTING)) {
                throw new FileAlreadyExistsException(target.toString());
            }
            to.remove(target);
        }
    }

    private void copy(Operations.Found found, boolean withAttributes) throws IOException {
        FileFacts facts = found.facts();
        Attributes raw = facts.raw();
        if (facts.isDirectory()) {
            SettableAttributes mode = SettableAttributes.ofMode(raw.mode());
            Operations.doing(target, () -> to.client().makeDirectory(target.spec(), mode));
        } else if (facts.isSymbolicLink()) {
            String text = Operations.on(source, () -> from.client().readLink(found.handle()));
            Operations.doing(target, () -> to.client().symlink(text, target.spec()));
        } else if (facts.isRegularFile()) {
            copyContent(found.handle(), raw.mode());
        } else {
            throw new FileSystemException(source.toString(), null, "cannot be copied");
        }
        if (withAttributes) {
            int mask = AttributeMask.ATIME | AttributeMask.MTIME;
            mask |= facts.isSymbolicLink() ? 0 : AttributeMask.MODE;
            to.set(
                    target,
                    false,
                    new SettableAttributes(mask, raw.mode(), 0, 0, 0, raw.atime(), raw.mtime()));
        }
    }

    private void copyContent(FileHandle file, int mode) throws IOException {
        ZoidfsClient.Created made =
                Operations.on(
                        target,
                        () -> to.client().create(target.spec(), SettableAttributes.ofMode(mode)));
        if (!made.isNew()) {
            throw new FileAlreadyExistsException(target.toString());
        }
        try {
            moveBytes(file, made.handle());
        } catch (IOException | RuntimeException | Error e) {
            removeQuietly();
            throw e;
        }
    }

    private void moveBytes(FileHandle file, FileHandle made) throws IOException {
        MemorySegment part = MemorySegment.ofArray(new byte[PART_BYTES]);
        long offset = 0;
        while (true) {
            long at = offset;
            long read = Operations.on(source, () -> from.client().read(file, part, at));
            if (read == 0) {
                return;
            }
            MemorySegment bytes = part.asSlice(0, read);
            long written = Operations.on(target, () -> to.client().write(made, bytes, at));
            if (written < read) {
                throw new FileSystemException(target.toString(), null, "only a part is written");
            }
            offset += read;
        }
    }

    /** Removes an incomplete copy. */
    private void removeQuietly() {
        try {
            to.remove(target);
        } catch (IOException e) {
            // The caller gets the error of the copy.
        }
    }

    void move() throws IOException {
        if (options.contains(StandardCopyOption.COPY_ATTRIBUTES)) {
            throw new UnsupportedOperationException("A move keeps all attributes");
        }
        boolean atomic = options.contains(StandardCopyOption.ATOMIC_MOVE);
        if (!isInOneFileSystem()) {
            if (atomic) {
                throw new AtomicMoveNotSupportedException(
                        source.toString(), target.toString(), "They are in two file systems");
            }
            moveToOtherFileSystem();
            return;
        }
        if (!atomic) {
            Operations.Found found = from.find(source, false);
            Operations.Found there = to.findIfThere(target);
            if (there != null && isSame(found, there)) {
                return;
            }
            if (there != null && there.facts().isDirectory()) {
                makeRoom(there);
            } else if (there != null && !options.contains(StandardCopyOption.REPLACE_EXISTING)) {
                throw new FileAlreadyExistsException(target.toString());
            } else if (there != null && found.facts().isDirectory()) {
                to.remove(target);
            }
        }
        Operations.doing(source, () -> from.client().rename(source.spec(), target.spec()));
    }

    private void moveToOtherFileSystem() throws IOException {
        Operations.Found found = from.find(source, false);
        Operations.Found there = to.findIfThere(target);
        if (there != null && isSame(found, there)) {
            return;
        }
        if (found.facts().isDirectory()) {
            try (Entries entries = Entries.of(source, entry -> true)) {
                if (entries.iterator().hasNext()) {
                    throw new DirectoryNotEmptyException(source.toString());
                }
            }
        }
        makeRoom(there);
        copy(found, true);
        from.remove(source);
    }
}

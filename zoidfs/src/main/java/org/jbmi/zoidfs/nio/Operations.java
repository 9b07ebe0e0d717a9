package org.jbmi.zoidfs.nio;

import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.util.ArrayList;
import java.util.List;

/**
 * Operations on paths for all parts of the file system, with the exceptions of {@code
 * java.nio.file}. It follows links at the end of a path, because servers do not. Safe for use by
 * any thread.
 */
final class Operations {
    /** The same limit as Linux. */
    private static final int MAX_LINKS = 40;

    /** How often to look a path up whose file is removed between two calls. */
    private static final int MAX_TRIES = 8;

    private final ZoidfsClient client;

    Operations(ZoidfsClient client) {
        this.client = client;
    }

    ZoidfsClient client() {
        return client;
    }

    /** A call of the client. */
    interface Call<T> {
        T run() throws IOException;
    }

    /** Runs a call on a file, and names the file when it fails. */
    static <T> T on(Object file, Call<T> call) throws IOException {
        try {
            return call.run();
        } catch (ZoidfsException e) {
            throw Failures.of(e, file);
        }
    }

    /** A call without a result. */
    interface Action {
        void run() throws IOException;
    }

    static void doing(Object file, Action action) throws IOException {
        try {
            action.run();
        } catch (ZoidfsException e) {
            throw Failures.of(e, file);
        }
    }

    /**
     * Runs calls that look up a file and use its handle. If the file is removed between these
     * calls, another file may have its name, so they run again. Without another file they end with
     * {@link NoSuchFileException}.
     */
    static <T> T retryIfStale(Call<T> calls) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                return calls.run();
            } catch (NoSuchFileException e) {
                if (tries == MAX_TRIES || !Failures.is(Status.STALE, e)) {
                    throw e;
                }
            }
        }
    }

    /**
     * A file that was found.
     *
     * @param path its path, after all links
     * @param handle its handle
     * @param facts its attributes
     */
    record Found(ZoidfsPath path, FileHandle handle, FileFacts facts) {}

    Found find(ZoidfsPath path, boolean followLinks) throws IOException {
        return retryIfStale(() -> findOnce(path, followLinks));
    }

    private Found findOnce(ZoidfsPath path, boolean followLinks) throws IOException {
        ZoidfsPath at = path;
        for (int links = 0; links <= MAX_LINKS; links++) {
            ZoidfsPath here = at;
            FileHandle handle = on(path, () -> client.lookup(here.spec()));
            FileFacts facts = on(path, () -> new FileFacts(client.getAttributes(handle)));
            if (!followLinks || !facts.isSymbolicLink()) {
                return new Found(here, handle, facts);
            }
            at = targetOf(here, handle);
        }
        throw new FileSystemLoopException(path.toString());
    }

    /** Like {@link #find} without following a link, or null if there is nothing. */
    @Nullable Found findIfThere(ZoidfsPath path) throws IOException {
        try {
            return find(path, false);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private ZoidfsPath targetOf(ZoidfsPath link, FileHandle handle) throws IOException {
        String text = on(link, () -> ZoidfsClient.readableText(client.readLink(handle)));
        ZoidfsPath parent = link.toAbsolutePath().getParent();
        return (parent == null ? link : parent).resolve(text);
    }

    FileFacts facts(ZoidfsPath path, boolean followLinks) throws IOException {
        return find(path, followLinks).facts();
    }

    ZoidfsPath readLink(ZoidfsPath link) throws IOException {
        return retryIfStale(() -> readLinkOnce(link));
    }

    private ZoidfsPath readLinkOnce(ZoidfsPath link) throws IOException {
        Found found = find(link, false);
        if (!found.facts().isSymbolicLink()) {
            throw new NotLinkException(link.toString());
        }
        String text = on(link, () -> ZoidfsClient.readableText(client.readLink(found.handle())));
        return ZoidfsPath.of(link.getFileSystem(), text);
    }

    /**
     * A file that was made or existed.
     *
     * @param path its path, after all links
     * @param handle its handle
     * @param isNew whether it was made
     */
    record Made(ZoidfsPath path, FileHandle handle, boolean isNew) {}

    /** Makes a regular file, or returns the existing one. A link at the end is followed. */
    Made create(ZoidfsPath path, SettableAttributes settable, boolean followLinks)
            throws IOException {
        ZoidfsPath at = path;
        for (int links = 0; links <= MAX_LINKS; links++) {
            ZoidfsPath here = at;
            ZoidfsClient.Created made = on(path, () -> client.create(here.spec(), settable));
            FileHandle handle = made.handle();
            if (made.isNew() || !followLinks || !isLink(path, handle)) {
                return new Made(here, handle, made.isNew());
            }
            at = targetOf(here, handle);
        }
        throw new FileSystemLoopException(path.toString());
    }

    /** A file that existed, with its attributes. */
    Found found(ZoidfsPath path, Made existing) throws IOException {
        FileHandle handle = existing.handle();
        FileFacts facts = on(path, () -> new FileFacts(client.getAttributes(handle)));
        return new Found(existing.path(), handle, facts);
    }

    private boolean isLink(ZoidfsPath path, FileHandle handle) throws IOException {
        return on(path, () -> client.getAttributes(handle).type() == FileType.SYMLINK);
    }

    void set(ZoidfsPath path, boolean followLinks, SettableAttributes settable) throws IOException {
        retryIfStale(
                () -> {
                    Found found = find(path, followLinks);
                    return on(path, () -> client.setAttributes(found.handle(), settable));
                });
    }

    void remove(ZoidfsPath path) throws IOException {
        doing(path, () -> client.remove(path.spec()));
    }

    /**
     * Throws if a file does not allow the given modes. Only the server knows which user it acts
     * for, so a bit of the mode for any user is enough.
     */
    void check(ZoidfsPath path, AccessMode... modes) throws IOException {
        Attributes attributes = facts(path, true).raw();
        for (AccessMode mode : modes) {
            int bits =
                    switch (mode) {
                        case READ -> 0444;
                        case WRITE -> 0222;
                        case EXECUTE -> 0111;
                    };
            if ((attributes.mode() & bits) == 0) {
                throw new AccessDeniedException(path.toString());
            }
        }
    }

    /** The path without links, "." and "..". */
    ZoidfsPath realPath(ZoidfsPath path, boolean followLinks) throws IOException {
        return retryIfStale(() -> realPathOnce(path, followLinks));
    }

    private ZoidfsPath realPathOnce(ZoidfsPath path, boolean followLinks) throws IOException {
        if (!followLinks) {
            ZoidfsPath plain = path.toAbsolutePath().normalize();
            find(plain, false);
            return plain;
        }
        ZoidfsPath done = ZoidfsPath.of(path.getFileSystem(), "/");
        List<String> left = new ArrayList<>();
        push(left, path.toAbsolutePath());
        int links = 0;
        while (!left.isEmpty()) {
            String name = left.remove(left.size() - 1);
            if (name.equals(".") || name.equals("..")) {
                ZoidfsPath parent = done.getParent();
                done = name.equals("..") && parent != null ? parent : done;
                continue;
            }
            ZoidfsPath next = done.resolve(name);
            Found found = find(next, false);
            if (!found.facts().isSymbolicLink()) {
                done = next;
                continue;
            }
            if (++links > MAX_LINKS) {
                throw new FileSystemLoopException(path.toString());
            }
            String text =
                    on(next, () -> ZoidfsClient.readableText(client.readLink(found.handle())));
            ZoidfsPath target = ZoidfsPath.of(path.getFileSystem(), text);
            done = target.isAbsolute() ? ZoidfsPath.of(path.getFileSystem(), "/") : done;
            push(left, target);
        }
        return done;
    }

    /** Adds the names of a path, the first one at the end. */
    private static void push(List<String> left, ZoidfsPath path) {
        for (int i = path.getNameCount() - 1; i >= 0; i--) {
            left.add(path.getName(i).toString());
        }
    }

    boolean isSame(ZoidfsPath one, ZoidfsPath other) throws IOException {
        return facts(one, true).fileKey().equals(facts(other, true).fileKey());
    }
}

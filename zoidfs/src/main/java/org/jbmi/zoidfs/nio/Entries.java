package org.jbmi.zoidfs.nio;

import org.jbmi.zoidfs.client.DirectoryParts;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** The entries of a directory, fetched in parts during the iteration. */
final class Entries implements DirectoryStream<Path> {
    private final ZoidfsPath directory;
    private final DirectoryParts parts;
    private final Filter<? super Path> filter;
    private boolean iterated;
    private volatile boolean closed;

    private Entries(ZoidfsPath directory, FileHandle handle, Filter<? super Path> filter) {
        this.directory = directory;
        this.parts = new DirectoryParts(directory.getFileSystem().operations().client(), handle, 0);
        this.filter = filter;
    }

    static Entries of(ZoidfsPath directory, Filter<? super Path> filter) throws IOException {
        Operations.Found found = directory.getFileSystem().operations().find(directory, true);
        if (!found.facts().isDirectory()) {
            throw new NotDirectoryException(directory.toString());
        }
        return new Entries(directory, found.handle(), filter);
    }

    @Override
    public Iterator<Path> iterator() {
        if (closed || iterated) {
            throw new IllegalStateException(
                    "An open directory stream has one iterator, a closed one none");
        }
        iterated = true;
        return new Iterating();
    }

    @Override
    public void close() {
        closed = true;
    }

    /** Keeps the entries of a part until it has returned them. */
    private final class Iterating implements Iterator<Path> {
        private final Deque<Path> fetched = new ArrayDeque<>();
        private boolean ended;
        private @Nullable Path next;

        @Override
        public boolean hasNext() {
            try {
                while (next == null && !closed) {
                    if (fetched.isEmpty() && (ended || !fetch())) {
                        break;
                    }
                    Path candidate = fetched.poll();
                    if (candidate != null && filter.accept(candidate)) {
                        next = candidate;
                    }
                }
            } catch (IOException e) {
                throw new DirectoryIteratorException(e);
            }
            return next != null;
        }

        private boolean fetch() throws IOException {
            List<DirectoryEntry> part = Operations.on(directory, parts::next);
            for (DirectoryEntry entry : part) {
                if (!entry.name().equals(".") && !entry.name().equals("..")) {
                    fetched.add(directory.resolve(ZoidfsClient.readableText(entry.name())));
                }
            }
            ended = part.isEmpty();
            return !ended;
        }

        @Override
        public Path next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Path found = next;
            next = null;
            if (found == null) {
                throw new NoSuchElementException();
            }
            return found;
        }
    }
}

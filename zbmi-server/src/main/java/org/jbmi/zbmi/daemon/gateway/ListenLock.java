package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.mempool.os.LockedFile;
import org.jbmi.zbmi.host.place.OwnFile;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Held while a gateway removes a socket file that an earlier one has left, and listens in its
 * place. Without it two that start at once both find that file, and one of them could remove the
 * new socket of the other one. The lock is an empty file beside the socket, removed at the end. One
 * that is not empty is somebody's, and stays.
 */
final class ListenLock implements AutoCloseable {
    private final LockedFile lock;
    private final @Nullable OwnFile toRemove;

    private ListenLock(LockedFile lock, @Nullable OwnFile toRemove) {
        this.lock = lock;
        this.toRemove = toRemove;
    }

    /**
     * Takes the lock, without waiting.
     *
     * @param socket whose name is to be taken
     * @return to be closed; null while another gateway, of this process or another, has it
     * @throws IOException if there can be no lock there
     */
    static @Nullable ListenLock tryTake(Path socket) throws IOException {
        Path path = socket.resolveSibling(socket.getFileName() + ".lock");
        while (true) {
            make(path);
            try {
                OwnFile file = OwnFile.of(path);
                LockedFile lock = LockedFile.tryLock(path);
                ListenLock taken = lock == null ? null : of(lock, file);
                if (lock == null || taken != null) {
                    return taken;
                }
            } catch (NoSuchFileException e) {
                // The one that had it has removed it. The next file is for all that come now.
            }
        }
    }

    // Null if the file has lost its name before it was locked.
    private static @Nullable ListenLock of(LockedFile lock, OwnFile file) throws IOException {
        ListenLock taken = null;
        try {
            if (file.hasName()) {
                taken = new ListenLock(lock, Files.size(file.path()) == 0 ? file : null);
            }
            return taken;
        } finally {
            if (taken == null) {
                lock.close();
            }
        }
    }

    private static void make(Path path) throws IOException {
        try {
            LockedFile.make(
                    path); // or it is there: another gateway has it, or ended while it had it
        } catch (NoSuchFileException e) {
            throw new IOException("there is no folder " + path.getParent(), e);
        }
    }

    // First the file, since another one that finds it unlocked may lock it.
    @Override
    public void close() {
        try {
            if (toRemove != null) {
                toRemove.remove();
            }
        } finally {
            lock.close();
        }
    }
}

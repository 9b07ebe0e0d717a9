package org.jbmi.zoidfs.server.files;

import org.jbmi.BmiException;
import org.jbmi.PeerAddress;
import org.jbmi.spi.HashMaps;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Status;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Errors of writes that were answered before they were in their files: for each file the first one,
 * until a commit takes it or the file is gone. Not thread-safe.
 *
 * <p>The server answers no write early while there are many errors, so it keeps every error and
 * their number is bounded. An error counts for the client whose write failed; one client has at
 * most half of the places that are free or its own.
 */
public final class WriteErrors {
    /** One error. */
    private record Stored(int status, PeerAddress client) {}

    private final int most;
    private final Map<FileHandle, Stored> errors = HashMaps.prepared(new LinkedHashMap<>());

    /** How many errors clients have, by their numbers. */
    private final Map<Long, Integer> held = HashMaps.prepared(new HashMap<>());

    /** Makes room for a number of errors. */
    public WriteErrors(int most) {
        this.most = most;
    }

    /** Whether a write of a client may be answered before it is in its file. */
    public boolean hasRoom(PeerAddress client) {
        int own = held.getOrDefault(client.id(), 0);
        int free = most - errors.size();
        return own == 0 ? free > 0 : own + 1 <= (free + own) / 2;
    }

    /**
     * Keeps an error for the next commit. STALE too: a file that another process has moved out of
     * the export may come back.
     */
    public void store(FileHandle file, int status, PeerAddress client) {
        if (errors.containsKey(file)) {
            return;
        }
        if (held.merge(client.id(), 1, Integer::sum) == 1) {
            retain(client);
        }
        boolean isKept = false;
        try {
            errors.put(file, new Stored(status, client));
            isKept = true;
        } finally {
            if (!isKept) {
                discount(client);
            }
        }
    }

    /** Takes the error of a file, so that one commit reports it; OK if there is none. */
    public int take(FileHandle file) {
        Stored stored = errors.remove(file);
        if (stored == null) {
            return Status.OK;
        }
        discount(stored.client);
        return stored.status;
    }

    private void discount(PeerAddress client) {
        if (held.computeIfPresent(client.id(), (id, all) -> all == 1 ? null : all - 1) == null) {
            release(client);
        }
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return errors.isEmpty();
    }

    /** The files that have one. */
    public List<FileHandle> files() {
        return new ArrayList<>(errors.keySet());
    }

    /** Forgets all. */
    public void close() {
        files().forEach(this::take);
    }

    /** A client has a new number with each request, unless somebody has a reference to it. */
    private static void retain(PeerAddress client) {
        try {
            client.retain();
        } catch (BmiException e) {
            // The client was disconnected, so no request comes from it.
        }
    }

    private static void release(PeerAddress client) {
        try {
            client.release();
        } catch (BmiException e) {
            // The client was disconnected.
        }
    }
}

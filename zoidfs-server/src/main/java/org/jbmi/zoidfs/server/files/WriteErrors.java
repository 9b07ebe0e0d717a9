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
 * Errors of writes that the server answered before it wrote the data. It keeps the first error of
 * each file until a commit reports it or the file is removed. Not thread-safe.
 *
 * <p>The server answers no write early while there are many errors, so it keeps every error and
 * their number is bounded. An error counts for the client whose write failed; one client has at
 * most half of the places that are free or its own.
 */
public final class WriteErrors {
    /** A client with errors, of which this has a reference. */
    private static final class Holder {
        /** An object: to remove the client takes no memory. */
        final Long id;

        final PeerAddress client;
        boolean isRetained;
        int errors;

        Holder(Long id, PeerAddress client) {
            this.id = id;
            this.client = client;
        }
    }

    /** One error. */
    private record Stored(int status, Holder holder) {}

    private final int most;
    private final Map<FileHandle, Stored> errors = HashMaps.prepared(new LinkedHashMap<>());

    /** The clients that have errors, by their numbers. */
    private final Map<Long, Holder> holders = HashMaps.prepared(new HashMap<>());

    /** Makes room for a number of errors. */
    public WriteErrors(int most) {
        this.most = most;
    }

    /** Whether a write of a client may be answered before it is in its file. */
    public boolean hasRoom(PeerAddress client) {
        Holder holder = holders.get(client.id());
        int own = holder == null ? 0 : holder.errors;
        int free = most - errors.size();
        return own == 0 ? free > 0 : own + 1 <= (free + own) / 2;
    }

    /**
     * Keeps an error for the next commit. STALE too: a file that another process has moved out of
     * the export may come back. If this throws, it has kept nothing.
     *
     * @throws OutOfMemoryError if there is no memory for it
     */
    public void store(FileHandle file, int status, PeerAddress client) {
        if (errors.containsKey(file)) {
            return;
        }
        Holder holder = holders.computeIfAbsent(client.id(), id -> new Holder(id, client));
        holder.errors++;
        try {
            if (!holder.isRetained) {
                retain(client);
                holder.isRetained = true;
            }
            errors.put(file, new Stored(status, holder));
        } catch (RuntimeException | Error e) {
            // The map may have it, though it could not grow.
            errors.remove(file);
            discount(holder);
            throw e;
        }
    }

    /** Takes the error of a file, so that one commit reports it; OK if there is none. */
    public int take(FileHandle file) {
        Stored stored = errors.remove(file);
        if (stored == null) {
            return Status.OK;
        }
        discount(stored.holder);
        return stored.status;
    }

    /** Takes no memory. */
    private void discount(Holder holder) {
        holder.errors--;
        if (holder.errors == 0) {
            holders.remove(holder.id);
            if (holder.isRetained) {
                release(holder.client);
            }
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

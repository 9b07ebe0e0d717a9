package org.jbmi.zoidfs.server.files;

import org.jbmi.BmiException;
import org.jbmi.PeerAddress;
import org.jbmi.spi.HashMaps;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedSet;

/**
 * The shared file pointers: numbers that clients share, each named by a file and an id. They end
 * with the server. Not thread-safe.
 *
 * <p>A pointer counts for the client that made it. A client has at most half of the places that are
 * free or its own. If no place is free, a client without a pointer still gets one. The server
 * removes the oldest pointer of the client with most pointers. If several clients have most, it
 * chooses the one that has had pointers for longest. So a client that takes many harms itself
 * first. If each client has one, the oldest pointer goes.
 */
public final class SharedPointers {
    /** The name of a pointer. */
    private record Key(FileHandle handle, String id) {}

    /** A pointer, and whose it is: a look-up of that would take memory. */
    private static final class Pointer {
        final Share share;
        long value;

        Pointer(Share share, long value) {
            this.share = share;
            this.value = value;
        }
    }

    /** The pointers of a client, the oldest first, and the number of the client. */
    private record Share(PeerAddress client, Long id, SequencedSet<Key> keys) {}

    private final int maximum;
    private final Map<Key, Pointer> pointers = HashMaps.prepared(new HashMap<>());

    /** Of the clients that have pointers, by their numbers; the oldest client first. */
    private final Map<Long, Share> shares = HashMaps.prepared(new LinkedHashMap<>());

    /** Makes room for a number of pointers. */
    public SharedPointers(int maximum) {
        this.maximum = maximum;
    }

    /**
     * Does what the hints of a request ask for, and puts the value into the hints of the reply.
     *
     * @param client the client that asks; retained while it has pointers, so that it keeps its
     *     number
     */
    public Reply apply(PeerAddress client, Request request, Reply reply) {
        Hints hints = request.hints();
        String operation = hints.get(Hints.POINTER_OPERATION);
        FileHandle handle = request.handle();
        if (operation == null || handle == null || reply.status() != Status.OK) {
            return reply;
        }
        String id = hints.get(Hints.POINTER_ID);
        Long value = number(hints.get(Hints.POINTER_VALUE));
        if (id == null) {
            return Reply.status(Status.INVAL);
        }
        Key key = new Key(handle, id);
        Pointer found = pointers.get(key);
        return switch (operation) {
            case "CREATE" -> {
                if (found != null) {
                    yield Reply.status(Status.EXIST);
                }
                if (!hasPlace(client.id())) {
                    yield Reply.status(Status.NOSPC);
                }
                long first = value == null ? 0 : value;
                Reply told = telling(reply, hints, first);
                add(client, key, first);
                yield told;
            }
            case "REMOVE" -> {
                if (found == null) {
                    yield Reply.status(Status.NOENT);
                }
                Reply told = telling(reply, hints, found.value);
                remove(key, found.share);
                yield told;
            }
            case "GET" ->
                    found == null ? Reply.status(Status.NOENT) : telling(reply, hints, found.value);
            case "SET", "FETCH_AND_ADD" -> {
                if (found == null || value == null) {
                    yield Reply.status(found == null ? Status.NOENT : Status.INVAL);
                }
                long old = found.value;
                boolean set = operation.equals("SET");
                Reply told = telling(reply, hints, set ? value : old);
                found.value = set ? value : old + value;
                yield told;
            }
            default -> Reply.status(Status.INVAL);
        };
    }

    /** Whether a client may have one more; removes one of another client if that is just. */
    private boolean hasPlace(long client) {
        Share own = shares.get(client);
        int free = maximum - pointers.size();
        if (own != null) {
            int held = own.keys.size();
            return held + 1 <= (free + held) / 2;
        }
        return free > 0 || removeOneOfMost();
    }

    private boolean removeOneOfMost() {
        Share most = null;
        for (Share share : shares.values()) {
            if (share.keys.size() > (most == null ? 0 : most.keys.size())) {
                most = share;
            }
        }
        if (most == null) {
            return false;
        }
        Key oldest = most.keys.getFirst();
        remove(oldest, most);
        return true;
    }

    /** Adds a pointer, or nothing if there is no memory for it. */
    private void add(PeerAddress client, Key key, long value) {
        Share share = share(client);
        try {
            pointers.put(key, new Pointer(share, value));
            share.keys.add(key);
        } catch (RuntimeException | Error e) {
            // The maps may have it, though they could not grow.
            remove(key, share);
            throw e;
        }
    }

    /** Takes no memory, so that no key of a share is without a pointer. */
    private void remove(Key key, Share share) {
        pointers.remove(key);
        share.keys.remove(key);
        if (share.keys.isEmpty()) {
            shares.remove(share.id);
            release(share.client);
        }
    }

    /** Forgets all. */
    public void close() {
        pointers.clear();
        shares.values().forEach(share -> release(share.client));
        shares.clear();
    }

    /** A client has a new number with each request, unless somebody has a reference to it. */
    private Share share(PeerAddress client) {
        Long id = client.id();
        Share known = shares.get(id);
        if (known != null) {
            return known;
        }
        Share share = new Share(client, id, HashMaps.linkedSet());
        client.retain();
        try {
            shares.put(id, share);
        } catch (RuntimeException | Error e) {
            shares.remove(id);
            release(client);
            throw e;
        }
        return share;
    }

    private static void release(PeerAddress client) {
        try {
            client.release();
        } catch (BmiException e) {
            // The client was disconnected.
        }
    }

    private static Reply telling(Reply reply, Hints hints, long value) {
        return reply.withHints(
                hints.replacing(Hints.POINTER_VALUE, Hints.POINTER_VALUE, Long.toString(value)));
    }

    private static @Nullable Long number(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}

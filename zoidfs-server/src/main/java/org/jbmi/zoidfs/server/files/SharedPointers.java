package org.jbmi.zoidfs.server.files;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * The shared file pointers: numbers that clients share, each named by a file and an id. They end
 * with the server. Not thread-safe.
 */
public final class SharedPointers {
    /** The name of a pointer. */
    private record Key(FileHandle handle, String id) {}

    private final int maximum;
    private final Map<Key, Long> values = new HashMap<>();

    /** Makes room for a number of pointers. */
    public SharedPointers(int maximum) {
        this.maximum = maximum;
    }

    /** Does what the hints of a request ask for, and puts the value into the hints of the reply. */
    public Reply apply(Request request, Reply reply) {
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
        Long old = values.get(key);
        return switch (operation) {
            case "CREATE" -> {
                if (old != null) {
                    yield Reply.status(Status.EXIST);
                }
                if (values.size() >= maximum) {
                    yield Reply.status(Status.NOSPC);
                }
                long first = value == null ? 0 : value;
                values.put(key, first);
                yield telling(reply, hints, first);
            }
            case "REMOVE" -> {
                values.remove(key);
                yield old == null ? Reply.status(Status.NOENT) : telling(reply, hints, old);
            }
            case "GET" -> old == null ? Reply.status(Status.NOENT) : telling(reply, hints, old);
            case "SET", "FETCH_AND_ADD" -> {
                if (old == null || value == null) {
                    yield Reply.status(old == null ? Status.NOENT : Status.INVAL);
                }
                boolean set = operation.equals("SET");
                values.put(key, set ? value : old + value);
                yield telling(reply, hints, set ? value : old);
            }
            default -> Reply.status(Status.INVAL);
        };
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

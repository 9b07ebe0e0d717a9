package org.jbmi.tcp.peer;

import org.jbmi.observe.Counter;
import org.jbmi.tcp.io.InBuffer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Bytes that were read from connections behind messages without a place. All connections share one
 * budget; the reader calls {@link #roomBytes()} before it reads ahead, so that the bytes always
 * fit. For the lead only.
 */
final class Stashes {
    /** How much is read ahead where the bytes are likely to wait. */
    static final int LITTLE_BYTES = 4 << 10;

    private static final int MAX_SPARE = 16;

    private final long maxBytes;
    private final ArrayDeque<InBuffer> spare = new ArrayDeque<>();
    private final Counter held;
    private long heldBytes;

    Stashes(long maxBytes, Counter held) {
        this.maxBytes = maxBytes;
        this.held = held;
    }

    long roomBytes() {
        return Math.max(0, maxBytes - heldBytes);
    }

    /** Keeps the unparsed bytes of a connection; mostly there are none. */
    void keep(Connection connection, ByteBuffer rest) {
        if (!rest.hasRemaining()) {
            return;
        }
        InBuffer kept;
        if (rest.remaining() > LITTLE_BYTES) {
            kept = InBuffer.copyOf(rest);
        } else {
            InBuffer before = spare.poll();
            kept = before == null ? InBuffer.direct(LITTLE_BYTES) : before;
            kept.bytes.clear().put(rest).flip();
        }
        account(kept.bytes.capacity());
        connection.incoming.stash = kept;
    }

    /** Drops the bytes that were kept for a connection. */
    void drop(Connection connection) {
        InBuffer kept = connection.incoming.stash;
        if (kept != null) {
            connection.incoming.stash = null;
            account(-kept.bytes.capacity());
            if (kept.bytes.isDirect() && spare.size() < MAX_SPARE) {
                spare.push(kept);
            }
        }
    }

    private void account(int bytes) {
        heldBytes += bytes;
        held.add(bytes);
    }
}

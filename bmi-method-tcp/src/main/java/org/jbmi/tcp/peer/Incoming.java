package org.jbmi.tcp.peer;

import org.jbmi.spi.Operation;
import org.jbmi.tcp.io.BufferWindow;
import org.jbmi.tcp.io.InBuffer;
import org.jbmi.tcp.memory.PeerMemory;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireHeader;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The reading state of a connection: a header, its message, and bytes that were read ahead. Owned
 * by the lead; other threads read the header of a parked message under the method's lock.
 */
final class Incoming {
    /** Waiting for a header. */
    static final int HEADER = 0;

    /** A header was read and its message has no place yet; the connection is not read meanwhile. */
    static final int PARKED = 1;

    /** A message is being read. */
    static final int BODY = 2;

    /** The header of the message that is being read. */
    final WireHeader header = new WireHeader();

    /** {@link #HEADER}, {@link #PARKED} or {@link #BODY}. */
    int phase = HEADER;

    long bodyLeft;
    long bodyDone;

    /** The memory of an unexpected message that is being read, or {@link PeerMemory#NONE}. */
    long unexpectedToken = PeerMemory.NONE;

    MemorySegment unexpectedMemory = MemorySegment.NULL;

    /** The beginning of a header. */
    final byte[] partial = new byte[Dialect.MAX_HEADER_BYTES];

    int partialBytes;

    /** Whether the last message was large, so that the next one may be too. */
    boolean largeBefore;

    /** Whether it has sent more small messages than its share, once at least. */
    boolean hasFlooded;

    /** Whether its receive buffer is bounded for that, until the first large message. */
    boolean hasFloodBuffer;

    /** Bytes read ahead that wait behind a parked message. */
    @Nullable InBuffer stash;

    final BufferWindow window = new BufferWindow();

    /** When a read brought few bytes of a large message; 0 if the last one did not. */
    long restsSinceNs;

    /** The receive that the window was begun for. */
    @Nullable Operation windowOperation;

    /** Since when a header is incomplete or a message does not move; 0 if neither. */
    long waitingSinceNs;

    /** Since when it is not read for lack of memory; 0 if it is read. */
    long parkedSinceNs;

    /** Whether any header was read. */
    boolean hasSpoken;

    /** The directory's version at the last check of this connection's hash. */
    long identifiedVersion = -1;

    /** Since when the check of its hash waits for a resolver; 0 if it does not. */
    long awaitsNameSinceNs;

    /** Whether it has waited so long for one that it goes on as a peer of its own. */
    boolean isNameLate;

    boolean isParked() {
        return phase == PARKED;
    }

    /** Whether a header or a message is incomplete. */
    boolean isAmidst() {
        return phase == BODY || partialBytes > 0;
    }

    /** The check of its hash waits; under the lock, since the resolver's thread reads it. */
    void beginsToAwaitName() {
        if (awaitsNameSinceNs == 0) {
            awaitsNameSinceNs = System.nanoTime() | 1;
        }
    }

    /** Keeps the bytes of an incomplete header. */
    void keepPartial(ByteBuffer from) {
        partialBytes = from.remaining();
        from.get(partial, 0, partialBytes);
    }

    /** Puts these bytes in front of the next read. */
    void putPartial(ByteBuffer to) {
        to.put(partial, 0, partialBytes);
        partialBytes = 0;
    }

    /** The message of the header begins. */
    void beginBody() {
        phase = BODY;
        bodyLeft = header.sizeBytes;
        bodyDone = 0;
    }

    /** Counts bytes of the message that were moved to their place. */
    void advance(long bytes) {
        bodyDone += bytes;
        bodyLeft -= bytes;
    }

    /** Releases the buffers of the receive that was filled, if there was one. */
    void endWindow() {
        if (windowOperation != null) {
            windowOperation = null;
            window.end();
        }
    }

    /** Stores since when it waits, for the checks of the clock; returns whether it does. */
    boolean noteWait(boolean hasMoved) {
        boolean waits = !isParked() && isAmidst();
        if (!waits) {
            waitingSinceNs = 0;
        } else if ((hasMoved && phase == BODY) || waitingSinceNs == 0) {
            // A look that finds nothing restarts no time, nor does a part of a header.
            waitingSinceNs = System.nanoTime() | 1;
        }
        if (!isParked()) {
            parkedSinceNs = 0;
        } else if (hasMoved || parkedSinceNs == 0) {
            parkedSinceNs = System.nanoTime() | 1;
        }
        return waits || isParked();
    }
}

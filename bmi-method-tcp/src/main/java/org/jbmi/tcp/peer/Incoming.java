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
 * What is being read from one connection: a header, its message, and what was read ahead of it.
 * Owned by the lead; others read the header of a parked message under the method's lock.
 */
final class Incoming {
    /** Waiting for a header. */
    static final int HEADER = 0;

    /** A header was read and its message has no place yet; the connection is not read meanwhile. */
    static final int PARKED = 1;

    /** A message is coming. */
    static final int BODY = 2;

    /** The header of the message that is coming. */
    final WireHeader header = new WireHeader();

    /** {@link #HEADER}, {@link #PARKED} or {@link #BODY}. */
    int phase = HEADER;

    long bodyLeft;
    long bodyDone;

    /** The memory of an unexpected message that is coming, or {@link PeerMemory#NONE}. */
    long unexpectedToken = PeerMemory.NONE;

    MemorySegment unexpectedMemory = MemorySegment.NULL;

    /** The beginning of a header. */
    final byte[] partial = new byte[Dialect.MAX_HEADER_BYTES];

    int partialBytes;

    /** Whether the last message was a large one, so that the next may be one too. */
    boolean largeBefore;

    /** Bytes read ahead that wait behind a parked message. */
    @Nullable InBuffer stash;

    final BufferWindow window = new BufferWindow();

    /** When a read brought little of a large message, 0 if the last one did not. */
    long restsSinceNs;

    /** The receive that the window was begun for. */
    @Nullable Operation windowOperation;

    /** Since when a header is incomplete or a message stands still; 0 if neither. */
    long waitingSinceNs;

    /** Since when it is not read for lack of memory; 0 if it is read. */
    long parkedSinceNs;

    /** Whether any header was read. */
    boolean hasSpoken;

    /** The directory's version when this connection's name was looked up last. */
    long identifiedVersion = -1;

    /** Whether the check of its name waits for a resolver. */
    boolean awaitsName;

    boolean isParked() {
        return phase == PARKED;
    }

    /** Whether a header or a message has begun that is not whole. */
    boolean isAmidst() {
        return phase == BODY || partialBytes > 0;
    }

    /** Keeps the beginning of a header until the rest of it comes. */
    void keepPartial(ByteBuffer from) {
        partialBytes = from.remaining();
        from.get(partial, 0, partialBytes);
    }

    /** Puts that beginning in front of what is about to be read. */
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

    /** Bytes of the message were moved to where they belong. */
    void advance(long bytes) {
        bodyDone += bytes;
        bodyLeft -= bytes;
    }

    /** Lets go of the buffers of the receive that was filled, if one was. */
    void endWindow() {
        if (windowOperation != null) {
            windowOperation = null;
            window.end();
        }
    }

    /** Notes since when it waits, for the checks of the clock. */
    void noteWait(boolean hasMoved) {
        boolean waits = !isParked() && isAmidst();
        waitingSinceNs = waits ? System.nanoTime() | 1 : 0;
        if (!isParked()) {
            parkedSinceNs = 0;
        } else if (hasMoved || parkedSinceNs == 0) {
            parkedSinceNs = System.nanoTime() | 1;
        }
    }
}

package org.jbmi.tcp;

import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationQueue;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireHeader;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * One socket. Its fields belong to three owners: the method's lock; whoever has set {@link
 * #writing} under it, who alone writes to the channel; and the lead, who alone reads.
 */
final class Connection {
    /** Waiting for a header. */
    static final int HEADER = 0;

    /** A header was read and its message has no place yet; the connection is not read meanwhile. */
    static final int PARKED = 1;

    /** A message is coming. */
    static final int BODY = 2;

    final SocketChannel channel;
    final boolean accepted;
    final long openedNs;
    final @Nullable InetAddress remote;
    volatile @Nullable SelectionKey key;

    // ---- guarded by the method's lock ----

    /** Written under the lock. */
    volatile TcpPeer peer;

    /** The attempt that it is part of, until it is connected. */
    @Nullable Dial dial;

    boolean established;

    /** Somebody writes, or takes over what is to be written. */
    boolean writing;

    /** What is left waits until the socket takes more. */
    boolean blocked;

    /** Small sends of a burst wait to leave together: for more of them, or for the lead. */
    boolean corked;

    /** Whether it waits for a batch that another connection gives back. */
    boolean awaitsBatch;

    /** How many small sends wait to leave together, and their bytes. */
    int corkedCount;

    long corkedBytes;

    /** Whether the flusher has it on its list. */
    boolean inCorkList;

    /** When the last post ended; a hint only. */
    long lastPostNs;

    /** Posts written one by one since the lead made progress, and the round that was. */
    int burst;

    int burstRound;

    /** Why nothing can be written any more; 0 if it can. */
    int writeError;

    /** Whether the sends of this connection were told so. */
    boolean writesOver;

    /** Why it is to be closed at once; 0 if it is not. */
    int forcedCode;

    /** Whether reading has ended too and the channel is closed. */
    boolean ended;

    /** Why. */
    int endCode;

    /** Sends of which the writer has taken hold, in their order. */
    final OperationQueue started = new OperationQueue();

    /** How many of them are to be cancelled by the writer. */
    int flagged;

    /** The receive that is being filled. */
    @Nullable Operation inOperation;

    /** Whether the lead may be writing into its buffers right now. */
    boolean touching;

    /** The code to end it with when the lead lets go of it; 0 for none. */
    int inCancelCode;

    /** The message that is coming without a receive. */
    @Nullable EarlyMessage inEarly;

    /** Whether an expected message waits in {@link #header} for memory or a receive. */
    boolean parkedExpected;

    /** Whether it stands among those that wait for memory. */
    boolean stalled;

    /** Whether the lead has it on its list. */
    boolean inAttention;

    // ---- the writer's ----

    @Nullable BatchBuffer batch;

    /** A send whose payload is written from its own buffers, the last one of what is started. */
    @Nullable Operation large;

    final BufferWindow outWindow = new BufferWindow();

    /** What is left of a send that was cancelled after its first byte was written. */
    @Nullable Rest rest;

    /** Position in the stream behind everything started. */
    long committedBytes;

    /** Position in the stream behind everything written. */
    long writtenBytes;

    /** When something was written last, for the stall check. */
    volatile long lastWriteNs;

    // ---- the lead's ----

    final WireHeader header = new WireHeader();
    int readyOps;
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

    final BufferWindow inWindow = new BufferWindow();

    /** When a read brought little of a large message, 0 if the last one did not. */
    long restsSinceNs;

    /** The receive that the window was begun for. */
    @Nullable Operation windowOperation;

    /** Since when a header is incomplete or a message stands still; 0 if neither. */
    long waitingSinceNs;

    /** Since when it is not read for lack of memory; 0 if it is read. */
    long parkedSinceNs;

    /** What the system says of its peer: the code that it is to end with, or 0. */
    volatile int goneCode;

    /** Whether any header was read. */
    boolean hasSpoken;

    /** The directory's version when this connection's name was looked up last. */
    long identifiedVersion = -1;

    /** Whether the check of its name waits for a resolver. */
    boolean awaitsName;

    Connection(
            SocketChannel channel, TcpPeer peer, boolean accepted, @Nullable InetAddress remote) {
        this.channel = channel;
        this.peer = peer;
        this.accepted = accepted;
        this.remote = remote;
        this.openedNs = System.nanoTime();
        this.lastWriteNs = openedNs;
    }

    /** Whether everything that was started is written. */
    boolean hasNothingToWrite() {
        return writtenBytes == committedBytes;
    }

    /** Adds to the interest; nothing happens when the key is gone. */
    void want(int ops) {
        SelectionKey k = key;
        if (k != null && k.isValid()) {
            try {
                k.interestOpsOr(ops);
            } catch (CancelledKeyException e) {
                // It ended meanwhile: nobody wants anything of it any more.
            }
        }
    }

    /** Takes away from the interest. */
    void unwant(int ops) {
        SelectionKey k = key;
        if (k != null && k.isValid()) {
            try {
                k.interestOpsAnd(~ops);
            } catch (CancelledKeyException e) {
                // As above.
            }
        }
    }
}

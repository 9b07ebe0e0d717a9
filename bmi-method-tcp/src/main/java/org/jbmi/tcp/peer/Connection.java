package org.jbmi.tcp.peer;

import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationQueue;
import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * One socket. It has three owners, each with a part of its own: the writer has {@link #outgoing},
 * the lead has {@link #incoming}, and the method's lock guards the rest of the fields that change.
 */
final class Connection {
    final SocketChannel channel;
    final boolean accepted;
    final long openedNs;
    final @Nullable InetAddress remote;
    volatile @Nullable SelectionKey key;

    /** What its writer owns: whoever has set {@link #writing} under the lock. */
    final Outgoing outgoing;

    /** What the lead owns, who alone reads. */
    final Incoming incoming = new Incoming();

    /** What the selector says of it; of the lead. */
    int readyOps;

    /** What the system says of its peer: the code that it is to end with, or 0. */
    volatile int goneCode;

    // ---- all that follows is guarded by the method's lock ----

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

    /** Whether an expected message waits in {@link Incoming#header} for memory or a receive. */
    boolean parkedExpected;

    /** Whether it stands among those that wait for memory. */
    boolean stalled;

    /** Whether the lead has it on its list. */
    boolean inAttention;

    Connection(
            SocketChannel channel, TcpPeer peer, boolean accepted, @Nullable InetAddress remote) {
        this.channel = channel;
        this.peer = peer;
        this.accepted = accepted;
        this.remote = remote;
        this.openedNs = System.nanoTime();
        this.outgoing = new Outgoing(channel, openedNs);
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

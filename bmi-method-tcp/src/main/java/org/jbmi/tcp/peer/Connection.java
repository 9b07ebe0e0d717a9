package org.jbmi.tcp.peer;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.LinkedNode;
import org.jbmi.spi.Operation;
import org.jbmi.tcp.io.Watched;
import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.nio.channels.SocketChannel;

/**
 * One socket. Its fields have three owners: the writer owns {@link #outgoing}, the lead owns {@link
 * #incoming}, and the method's lock guards all others that change.
 */
final class Connection extends Watched {
    /** A connection in one list of connections, to which it is added without memory. */
    static final class Place extends LinkedNode {
        final Connection connection;

        Place(Connection connection) {
            this.connection = connection;
        }
    }

    final SocketChannel channel;
    final boolean accepted;
    final long openedNs;
    final @Nullable InetAddress remote;

    /** Owned by the writer: the thread that has set {@link #writing} under the lock. */
    final Outgoing outgoing;

    /** Owned by the lead, which alone reads. */
    final Incoming incoming = new Incoming();

    /** The operations that the selector reported; for the lead. */
    int readyOps;

    /** The code to end with because the system reports that its peer has gone, or 0. */
    volatile int goneCode;

    // ---- all that follows is guarded by the method's lock ----

    /** Written under the lock. */
    volatile TcpPeer peer;

    /** The attempt that makes it; null for an accepted one, and once it is connected. */
    @Nullable Dial dial;

    /** Whether it is connected. */
    boolean established;

    /** Whether a thread writes, or takes over the bytes to be written. */
    boolean writing;

    /** Whether the rest waits until the socket has room. */
    boolean blocked;

    /**
     * Whether small sends of a burst wait to be written together: for more of them, or for the
     * lead.
     */
    boolean corked;

    /** Its place among those that wait for a batch buffer of another connection. */
    final Place batchPlace = new Place(this);

    /** How many small sends wait to be written together, and their bytes. */
    int corkedCount;

    long corkedBytes;

    /** Its place on the flusher's list. */
    final Place corkPlace = new Place(this);

    /** When the last post ended; a hint only. */
    long lastPostNs;

    /** Posts written one by one since the lead's last round, and the number of that round. */
    int burst;

    int burstRound;

    /** Why nothing can be written any more; 0 if writing works. */
    int writeError;

    /** Whether its sends have ended with that. */
    boolean writesOver;

    /** Why it is to be closed at once; 0 if it is not. */
    int forcedCode;

    /** Whether its peer was disconnected for that. */
    boolean disconnected;

    /** Whether reading has ended too, and the channel is closed. */
    boolean ended;

    /** The code that it ended with. */
    int endCode;

    /** Sends that the writer has started, in order. */
    final IntrusiveList<Operation> started = new IntrusiveList<>();

    /** How many of them the writer must cancel. */
    int flagged;

    /** The receive that is being filled. */
    @Nullable Operation inOperation;

    /** Whether the lead may be writing into its buffers at this moment. */
    boolean touching;

    /** The code to end it with when the lead has finished with its buffers; 0 for none. */
    int inCancelCode;

    /** The message that is coming without a receive. */
    @Nullable EarlyMessage inEarly;

    /**
     * Whether an expected message waits, with its header in {@link Incoming#header}, for memory or
     * a receive.
     */
    boolean parkedExpected;

    /** Its place in the queue for memory. */
    final Place stallPlace = new Place(this);

    /** Its place on the lead's list. */
    final Place attentionPlace = new Place(this);

    Connection(
            SocketChannel channel, TcpPeer peer, boolean accepted, @Nullable InetAddress remote) {
        this.channel = channel;
        this.peer = peer;
        this.accepted = accepted;
        this.remote = remote;
        this.openedNs = System.nanoTime();
        this.outgoing = new Outgoing(channel, openedNs);
    }
}

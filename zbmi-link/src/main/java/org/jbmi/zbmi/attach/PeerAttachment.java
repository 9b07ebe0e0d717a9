package org.jbmi.zbmi.attach;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.SegmentException;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.Goodbye;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.Redirect;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.jbmi.zbmi.protocol.handshake.Welcome;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A session of this process with the host of the engine: the socket, which stays open while the
 * process lives, and the mapped segment. Closing it says goodbye: this process touches no memory of
 * the segment any more.
 */
public final class PeerAttachment implements AutoCloseable {
    /** A daemon redirects a client to a direct server at most once. */
    private static final int MAX_REDIRECTS = 1;

    private final SocketChannel socket;
    private final PeerSocket peerSocket;
    private final SharedMemory memory;
    private final MemorySegment segment;
    private final Runnable unmapping;
    private final Welcome welcome;
    private final SegmentMap map;
    private final AttachRequest request;
    private final ByteBuffer goodbye = PeerSocket.frame(new Goodbye(false));
    private final ByteBuffer lostGoodbye = PeerSocket.frame(new Goodbye(true));
    private volatile boolean isLost;
    private boolean isSaid;

    /**
     * Makes a session from a handshake.
     *
     * @param socket stays open while the session lasts, non-blocking; owned by the attachment from
     *     now on
     * @param memory access to the segment that the host named
     * @param segment the whole of it, native memory
     * @param unmapping lets go of it; owned by the attachment from now on
     */
    public PeerAttachment(
            SocketChannel socket,
            SharedMemory memory,
            MemorySegment segment,
            Runnable unmapping,
            Welcome welcome,
            AttachRequest request) {
        this.socket = socket;
        this.peerSocket = new PeerSocket(socket);
        this.memory = memory;
        this.segment = segment;
        this.unmapping = unmapping;
        this.welcome = welcome;
        this.map = new SegmentMap(welcome.geometry());
        this.request = request;
    }

    /**
     * Connects, shakes hands and maps the segment. One attempt: a caller who wants to wait for a
     * host that is not there yet tries again.
     *
     * @return the session, to be closed by the caller
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if no host is there, or it ends during
     *     the handshake. With {@link ErrorCode#ETIMEDOUT} if it does not answer in time. With
     *     {@link ErrorCode#ECANCEL} if the session is not wanted any more. With the host's own code
     *     if it refuses. With {@link ErrorCode#EPROTO} if it is of another version or not to be
     *     trusted
     */
    public static PeerAttachment connect(AttachRequest request) {
        long deadlineNs = request.clock().nanoTime() + request.timeoutNs();
        return connect(request, request.socket(), deadlineNs, MAX_REDIRECTS);
    }

    private static PeerAttachment connect(
            AttachRequest request, Path path, long deadlineNs, int redirects) {
        HandshakeSocket socket =
                HandshakeSocket.connect(path, request.clock(), deadlineNs, request.isOver());
        try {
            HandshakeFrame answer = greet(socket, request);
            if (answer instanceof Redirect redirect && redirects > 0) {
                Path next = Path.of(redirect.socketPath());
                return connect(request, next, deadlineNs, redirects - 1);
            }
            return attach(socket, answer, request);
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EPROTO, "The host at " + path + ": " + e.getMessage() + ".", e);
        } finally {
            socket.closeUnlessReleased();
        }
    }

    private static HandshakeFrame greet(HandshakeSocket socket, AttachRequest request)
            throws IOException {
        long pid = ProcessHandle.current().pid();
        long startMs = request.liveness().startTimeMs(pid);
        socket.send(new Hello(request.role(), pid, startMs, request.transport()));
        return socket.receive();
    }

    private static PeerAttachment attach(
            HandshakeSocket socket, HandshakeFrame answer, AttachRequest request) {
        return switch (answer) {
            case Welcome welcome -> map(socket, welcome, request);
            case Refused refused -> throw refused.asException();
            default ->
                    throw new BmiException(
                            ErrorCode.EPROTO,
                            "The host did not answer with a welcome: it may be of another"
                                    + " version.");
        };
    }

    private static PeerAttachment map(
            HandshakeSocket socket, Welcome welcome, AttachRequest request) {
        SharedSegment segment;
        try {
            segment = SharedSegment.open(Path.of(welcome.segmentPath()));
        } catch (SegmentException e) {
            throw notMapped(socket, e);
        }
        boolean isOwned = false;
        try {
            checkMatch(segment, welcome);
            PeerAttachment made =
                    new PeerAttachment(
                            socket.channel(),
                            segment.memory(),
                            segment.segment(),
                            segment::close,
                            welcome,
                            request);
            // Only now, when nothing can fail any more: also an Error leaves nothing behind.
            socket.release();
            isOwned = true;
            return made;
        } finally {
            if (!isOwned) {
                segment.close();
            }
        }
    }

    // A host closes its sockets before its segment goes. One whose sockets stay is there, but its
    // segment cannot be seen from here, as in a container without the folder.
    private static BmiException notMapped(HandshakeSocket socket, SegmentException e) {
        PeerSocket ending = new PeerSocket(socket.channel());
        int count = e.kind() == SegmentException.Kind.NOT_FOUND ? ending.drain() : 0;
        while (count > 0) {
            count = ending.drain();
        }
        return count == PeerSocket.ENDED
                ? new BmiException(
                        ErrorCode.ENETDOWN,
                        "The daemon or server that hosts the engine has ended after its welcome.",
                        e)
                : new BmiException(ErrorCode.EPROTO, String.valueOf(e.getMessage()), e);
    }

    private static void checkMatch(SharedSegment segment, Welcome welcome) {
        String mismatch =
                segment.generation() == welcome.segmentGeneration()
                        ? new SegmentMap(welcome.geometry()).mismatch(segment.memory())
                        : "the segment is not the one that the host announced";
        if (mismatch != null) {
            throw new BmiException(ErrorCode.EPROTO, "Cannot attach: " + mismatch + ".");
        }
    }

    /** The host's welcome. */
    public Welcome welcome() {
        return welcome;
    }

    /** The layout of the segment. */
    public SegmentMap map() {
        return map;
    }

    /** The mapped segment; invalid after {@link #close}. */
    public MemorySegment segment() {
        return segment;
    }

    /** Access to the mapped segment; invalid after {@link #close}. */
    public SharedMemory memory() {
        return memory;
    }

    /** The socket, non-blocking. */
    public SocketChannel socket() {
        return socket;
    }

    /** The wake-ups and rings over the socket; any thread. */
    public PeerSocket peerSocket() {
        return peerSocket;
    }

    /** Sleeps and wakes. */
    public Waiting waiting() {
        return request.waiting();
    }

    /** For timeouts. */
    public NanoClock clock() {
        return request.clock();
    }

    /**
     * Whether the host has ended the session. Drops wake-ups that have come over the socket: for
     * the one thread that attaches, while no thread waits for them. Never waits.
     */
    public boolean isHungUp() {
        return peerSocket.drain() == PeerSocket.ENDED;
    }

    /** Marks the goodbye to come as one for a remote client that was lost. */
    public void clientLost() {
        isLost = true;
    }

    /** Closes the socket without a goodbye. The segment stays mapped. */
    public void hangUp() {
        Sockets.closeQuietly(socket);
    }

    /** Says goodbye, closes the socket, unmaps the segment. */
    @Override
    public void close() {
        leave();
    }

    /**
     * Closes it like {@link #close}. After an {@link OutOfMemoryError}, leaving again goes on from
     * there.
     *
     * @return whether the goodbye has been said
     */
    public boolean leave() {
        try (SocketChannel closing = socket) {
            isSaid |= closing.write((isLost ? lostGoodbye : goodbye).rewind()) > 0;
        } catch (IOException e) {
            // The host has ended, or has closed the socket.
        } finally {
            unmapping.run();
        }
        return isSaid;
    }
}

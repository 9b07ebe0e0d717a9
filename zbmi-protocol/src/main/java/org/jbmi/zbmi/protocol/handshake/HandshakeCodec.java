package org.jbmi.zbmi.protocol.handshake;

import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The frames on a host's Unix-domain socket, little-endian.
 *
 * <pre>
 *   0    length of the whole frame (4)   16 to 4096
 *   4    magic "ZBMI"              (4)
 *   8    protocol version          (4)
 *   12   kind                      (4)   1 hello, 2 welcome, 3 refused, 4 goodbye,
 *                                        5 ring, 6 redirect,
 *                                        16 ask for operations, 17 a page of operations
 *   16   body                            a string is its length in bytes (2), then UTF-8
 * </pre>
 *
 * <p>The peer says hello, the host answers with welcome, refused or redirect; later the peer may
 * ring, and say goodbye. After a welcome the host sends single bytes {@link #WAKE}, and at the end
 * perhaps {@link #CLOSED}. A tool that only asks questions sends no hello: it sends one question at
 * a time, and waits for the answer before the next. Decoding checks every field, and takes no more
 * memory than the 4096 bytes of the longest frame.
 */
public final class HandshakeCodec {
    /** Longest frame. */
    public static final int MAX_FRAME_BYTES = 4096;

    /** From the host after the welcome: read your lane. */
    public static final byte WAKE = 'W';

    /** From a host before it closes the socket: its server has closed normally. */
    public static final byte CLOSED = 'C';

    static final int MAGIC = 0x494d425a;
    private static final int HEADER_BYTES = 16;
    private static final int HELLO = 1;
    private static final int WELCOME = 2;
    private static final int REFUSED = 3;
    private static final int GOODBYE = 4;
    private static final int RING = 5;
    private static final int REDIRECT = 6;
    private static final int ASK_OPERATIONS = 16;
    private static final int OPERATIONS_PAGE = 17;
    private static final int MAX_TRANSPORT_BYTES = 64;
    private static final int MAX_PATH_BYTES = 2048;
    private static final int MAX_SENTENCE_BYTES = 1024;

    private HandshakeCodec() {}

    /**
     * Encodes a frame.
     *
     * @param frame to send; a sentence that is too long is cut
     * @return a new buffer, ready to be written to a socket
     * @throws IllegalArgumentException if a string is longer than its field may be
     */
    public static ByteBuffer encode(HandshakeFrame frame) {
        return encode(frame, SegmentMap.PROTOCOL_VERSION);
    }

    /**
     * Encodes a frame with another version in its header. A refusal can be read by a peer of that
     * version: header and body of a refusal are the same in all versions.
     */
    public static ByteBuffer encode(Refused refusal, int version) {
        return encode((HandshakeFrame) refusal, version);
    }

    private static ByteBuffer encode(HandshakeFrame frame, int version) {
        ByteBuffer out = ByteBuffer.allocate(MAX_FRAME_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.position(Integer.BYTES);
        out.putInt(MAGIC).putInt(version);
        switch (frame) {
            case Hello hello -> putHello(out.putInt(HELLO), hello);
            case Welcome welcome -> putWelcome(out.putInt(WELCOME), welcome);
            case Refused refused -> putRefused(out.putInt(REFUSED), refused);
            case Goodbye goodbye -> out.putInt(GOODBYE).putInt(goodbye.isLost() ? 1 : 0);
            case Ring ring -> out.putInt(RING);
            case Redirect redirect ->
                    putString(out.putInt(REDIRECT), redirect.socketPath(), MAX_PATH_BYTES);
            case AskOperations ask -> out.putInt(ASK_OPERATIONS).putInt(ask.firstSlot());
            case OperationsPage page -> OperationsCodec.put(out.putInt(OPERATIONS_PAGE), page);
        }
        return out.putInt(0, out.position()).flip();
    }

    /**
     * The length of the frame at the start of what has been received.
     *
     * @param received bytes between position and limit; not changed
     * @return its length in bytes, or -1 while even that is not there
     * @throws HandshakeException if no frame has that length
     */
    public static int frameLength(ByteBuffer received) throws HandshakeException {
        if (received.remaining() < Integer.BYTES) {
            return -1;
        }
        int length = received.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (length < HEADER_BYTES || length > MAX_FRAME_BYTES) {
            throw new HandshakeException("a frame of " + length + " bytes");
        }
        return length;
    }

    /**
     * Decodes one frame.
     *
     * @param received at least {@link #frameLength} bytes from its position; which moves past them
     * @throws HandshakeException if it is none, or of another version
     */
    public static HandshakeFrame decode(ByteBuffer received) throws HandshakeException {
        int length = frameLength(received);
        if (length < 0 || received.remaining() < length) {
            throw new HandshakeException("a frame that is cut off");
        }
        ByteBuffer in = received.slice(received.position(), length).order(ByteOrder.LITTLE_ENDIAN);
        received.position(received.position() + length);
        in.position(Integer.BYTES);
        if (in.getInt() != MAGIC) {
            throw new HandshakeException("another protocol");
        }
        int version = in.getInt();
        if (version != SegmentMap.PROTOCOL_VERSION) {
            throw new OtherVersionException(version);
        }
        HandshakeFrame frame = body(in);
        if (in.hasRemaining()) {
            throw new HandshakeException(in.remaining() + " bytes too many");
        }
        return frame;
    }

    private static HandshakeFrame body(ByteBuffer in) throws HandshakeException {
        int kind = in.getInt();
        return switch (kind) {
            case HELLO -> getHello(in);
            case WELCOME -> getWelcome(in);
            case REFUSED -> getRefused(in);
            case GOODBYE -> new Goodbye(getInt(in) != 0);
            case RING -> new Ring();
            case REDIRECT -> new Redirect(getString(in, MAX_PATH_BYTES));
            case ASK_OPERATIONS -> OperationsCodec.getAsk(in);
            case OPERATIONS_PAGE -> OperationsCodec.getPage(in);
            default -> throw new HandshakeException("a frame of kind " + kind);
        };
    }

    private static void putHello(ByteBuffer out, Hello hello) {
        out.putInt(hello.role().toWire()).putLong(hello.pid()).putLong(hello.processStartMs());
        putString(out, hello.transport(), MAX_TRANSPORT_BYTES);
    }

    private static Hello getHello(ByteBuffer in) throws HandshakeException {
        PeerRole role = PeerRole.ofWire(getInt(in));
        long pid = getLong(in);
        long start = getLong(in);
        return new Hello(role, pid, start, getString(in, MAX_TRANSPORT_BYTES));
    }

    private static void putWelcome(ByteBuffer out, Welcome w) {
        out.putInt(w.session()).putInt(w.generation()).putInt(w.host().toWire());
        out.putLong(w.daemonPid()).putLong(w.daemonStartMs());
        putString(out, w.segmentPath(), MAX_PATH_BYTES);
        out.putLong(w.segmentGeneration());
        SegmentGeometry g = w.geometry();
        out.putInt(g.maxClients()).putInt(g.clientLaneSlots()).putInt(g.serverLaneSlots());
        out.putInt(g.eagerSlots()).putInt(g.eagerSlotBytes());
        out.putLong(g.unexpectedBytes()).putLong(g.expectedBytes());
        SessionLimits l = w.limits();
        out.putLong(l.maxExpectedBytes()).putLong(l.maxUnexpectedBytes()).putInt(l.eagerBytes());
        out.putInt(l.maxListEntries()).putInt(l.maxOperations());
    }

    private static Welcome getWelcome(ByteBuffer in) throws HandshakeException {
        int session = getInt(in);
        int generation = getInt(in);
        HostKind host = HostKind.ofWire(getInt(in));
        long pid = getLong(in);
        long start = getLong(in);
        String path = getString(in, MAX_PATH_BYTES);
        long segmentGeneration = getLong(in);
        SegmentGeometry geometry = getGeometry(in);
        SessionLimits limits = getLimits(in);
        if (session < 0 || session > geometry.maxClients() || generation == 0) {
            throw new HandshakeException("session " + session + ", generation " + generation);
        }
        return new Welcome(
                session, generation, host, pid, start, path, segmentGeneration, geometry, limits);
    }

    private static SegmentGeometry getGeometry(ByteBuffer in) throws HandshakeException {
        int clients = getInt(in);
        int clientSlots = getInt(in);
        int serverSlots = getInt(in);
        int eagerSlots = getInt(in);
        int eagerBytes = getInt(in);
        long unexpected = getLong(in);
        long expected = getLong(in);
        try {
            return new SegmentGeometry(
                    clients,
                    clientSlots,
                    serverSlots,
                    eagerSlots,
                    eagerBytes,
                    unexpected,
                    expected);
        } catch (IllegalArgumentException e) {
            throw new HandshakeException(String.valueOf(e.getMessage()));
        }
    }

    private static SessionLimits getLimits(ByteBuffer in) throws HandshakeException {
        long expected = getLong(in);
        long unexpected = getLong(in);
        int eager = getInt(in);
        int entries = getInt(in);
        int operations = getInt(in);
        try {
            return new SessionLimits(expected, unexpected, eager, entries, operations);
        } catch (IllegalArgumentException e) {
            throw new HandshakeException(String.valueOf(e.getMessage()));
        }
    }

    private static void putRefused(ByteBuffer out, Refused refused) {
        byte[] sentence = refused.sentence().getBytes(StandardCharsets.UTF_8);
        int length = Math.min(sentence.length, MAX_SENTENCE_BYTES);
        out.putInt(refused.code()).putShort((short) length).put(sentence, 0, length);
    }

    private static Refused getRefused(ByteBuffer in) throws HandshakeException {
        int code = getInt(in);
        return new Refused(code, getString(in, MAX_SENTENCE_BYTES));
    }

    private static void putString(ByteBuffer out, String text, int maxBytes) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > maxBytes) {
            throw new IllegalArgumentException(
                    "a string of " + bytes.length + " bytes where " + maxBytes + " are allowed");
        }
        out.putShort((short) bytes.length).put(bytes);
    }

    private static String getString(ByteBuffer in, int maxBytes) throws HandshakeException {
        require(in, Short.BYTES);
        int length = Short.toUnsignedInt(in.getShort());
        if (length > maxBytes) {
            throw new HandshakeException("a string of " + length + " bytes");
        }
        require(in, length);
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static int getInt(ByteBuffer in) throws HandshakeException {
        require(in, Integer.BYTES);
        return in.getInt();
    }

    static long getLong(ByteBuffer in) throws HandshakeException {
        require(in, Long.BYTES);
        return in.getLong();
    }

    private static void require(ByteBuffer in, int bytes) throws HandshakeException {
        if (in.remaining() < bytes) {
            throw new HandshakeException("a body that is too short");
        }
    }
}

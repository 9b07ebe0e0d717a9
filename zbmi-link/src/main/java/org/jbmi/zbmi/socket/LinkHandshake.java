package org.jbmi.zbmi.socket;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The frames before a link is open: the client's HELLO, and WELCOME or REFUSED as its answer. None
 * is longer than {@value #MAX_BYTES} bytes.
 */
public final class LinkHandshake {
    /** Longest frame of a handshake. */
    public static final int MAX_BYTES = 1024;

    private static final int MAX_SENTENCE_BYTES = 900;
    private static final int MAX_OPERATIONS = 1 << 22;

    private LinkHandshake() {}

    private static ByteBuffer begin(int kind) {
        return ByteBuffer.allocate(MAX_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0)
                .putInt(LinkFrame.MAGIC)
                .putInt(LinkFrame.VERSION)
                .putInt(kind);
    }

    private static ByteBuffer end(ByteBuffer frame) {
        return frame.putInt(0, frame.position()).flip();
    }

    /** The client's hello. */
    public static ByteBuffer hello(long processId) {
        return end(begin(LinkFrame.HELLO).putLong(processId));
    }

    /** The gateway's acceptance. */
    public static ByteBuffer welcome(LinkWelcome welcome) {
        SessionLimits limits = welcome.limits();
        return end(
                begin(LinkFrame.WELCOME)
                        .putInt(welcome.generation())
                        .putInt(welcome.eagerSlots())
                        .putLong(limits.maxExpectedBytes())
                        .putLong(limits.maxUnexpectedBytes())
                        .putInt(limits.eagerBytes())
                        .putInt(limits.maxListEntries())
                        .putInt(limits.maxOperations()));
    }

    /** The gateway's refusal; a text that is too long is cut. */
    public static ByteBuffer refused(ErrorCode code, String sentence) {
        byte[] text = sentence.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, MAX_SENTENCE_BYTES);
        return end(
                begin(LinkFrame.REFUSED)
                        .putInt(code.negativeValue())
                        .putShort((short) length)
                        .put(text, 0, length));
    }

    /**
     * The length of the frame of which the first bytes have come.
     *
     * @param received from position 0 to its position
     * @return bytes, or -1 while even that is not there
     * @throws FrameException if it is no frame of a handshake
     */
    public static int length(ByteBuffer received) throws FrameException {
        if (received.position() < Integer.BYTES) {
            return -1;
        }
        int length = received.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(0);
        if (length < LinkFrame.HEADER_BYTES || length > MAX_BYTES) {
            throw new FrameException("it speaks another protocol");
        }
        return length;
    }

    /**
     * Checks a HELLO. Nobody needs the process id in it.
     *
     * @throws FrameException if it is none
     */
    public static void checkHello(ByteBuffer frame) throws FrameException {
        ByteBuffer in = frame.order(ByteOrder.LITTLE_ENDIAN);
        FrameReader.checkMagic(in.getInt(4), in.getInt(8));
        if (in.getInt(12) != LinkFrame.HELLO || in.remaining() != LinkFrame.HEADER_BYTES + 8) {
            throw new FrameException("it did not begin with a hello");
        }
    }

    /**
     * Reads the gateway's answer.
     *
     * @throws BmiException if it refuses, with its code and text
     * @throws FrameException if it is no answer
     */
    public static LinkWelcome readAnswer(ByteBuffer frame) throws FrameException {
        ByteBuffer in = frame.order(ByteOrder.LITTLE_ENDIAN);
        if (in.getInt(4) != LinkFrame.MAGIC) {
            throw new FrameException("it speaks another protocol");
        }
        int kind = in.getInt(12);
        if (kind == LinkFrame.REFUSED) {
            throw refusal(in.position(LinkFrame.HEADER_BYTES));
        }
        FrameReader.checkMagic(in.getInt(4), in.getInt(8));
        if (kind != LinkFrame.WELCOME || in.remaining() != LinkFrame.HEADER_BYTES + 36) {
            throw new FrameException("it did not answer with a welcome");
        }
        return readWelcome(in.position(LinkFrame.HEADER_BYTES));
    }

    private static BmiException refusal(ByteBuffer in) throws FrameException {
        if (in.remaining() < Integer.BYTES + Short.BYTES) {
            throw new FrameException("it sent a refusal without words");
        }
        int code = in.getInt();
        byte[] text = new byte[Math.min(Short.toUnsignedInt(in.getShort()), in.remaining())];
        in.get(text);
        return new Refused(code, new String(text, StandardCharsets.UTF_8)).asException();
    }

    private static LinkWelcome readWelcome(ByteBuffer in) throws FrameException {
        int generation = in.getInt();
        int slots = in.getInt();
        long expected = in.getLong();
        long unexpected = in.getLong();
        int eager = in.getInt();
        int entries = in.getInt();
        int operations = in.getInt();
        boolean isSound =
                slots >= 0
                        && slots <= SegmentGeometry.MAX_EAGER_SLOTS
                        && eager <= LinkFrame.MAX_EAGER_BYTES
                        && operations <= MAX_OPERATIONS;
        if (!isSound) {
            throw new FrameException("it sent a welcome with numbers that cannot be");
        }
        try {
            return new LinkWelcome(
                    generation,
                    slots,
                    new SessionLimits(expected, unexpected, eager, entries, operations));
        } catch (IllegalArgumentException e) {
            throw new FrameException("it sent a welcome with " + e.getMessage());
        }
    }
}

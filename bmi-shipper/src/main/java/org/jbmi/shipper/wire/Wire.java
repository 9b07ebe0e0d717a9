package org.jbmi.shipper.wire;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Encoder;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Function;

/**
 * What all messages have in common. Little endian.
 *
 * <pre>
 *   +------------------------------------+ 0
 *   | magic "JSHP" (4)                   |
 *   +------------------------------------+ 4
 *   | version (1) | kind (1) | flags (2) |
 *   +------------------------------------+ 8
 *   | session (8), 0 before the welcome  |
 *   +------------------------------------+ 16
 *   | number (4): of a call or transfer  |
 *   +------------------------------------+ 20
 *   | the body, by kind                  |
 * </pre>
 *
 * A call and a reply put four bytes in front of what they carry. So 64 bytes of input, or of
 * output, make a message of 88, which zoid moves inside one message of its own.
 */
public final class Wire {
    /** "JSHP". */
    public static final int MAGIC = 0x5048_534a;

    /** The version spoken here. */
    public static final int VERSION = 2;

    /** Bytes in front of the body. */
    public static final int HEADER_BYTES = 20;

    /** Client to server: asks for a session. */
    public static final int HELLO = 1;

    /** Client to server: a call that names its function. */
    public static final int NAMED_CALL = 2;

    /** Client to server: cancels a call. */
    public static final int CANCEL = 3;

    /** Client to server: the handle for a large output. */
    public static final int FETCH = 4;

    /** Client to server: the receives of a push are posted. */
    public static final int GRANT = 5;

    /** Client to server: a transfer is over, or refused. */
    public static final int DONE = 6;

    /** Client to server: the session ends. */
    public static final int BYE = 7;

    /** Client to server: a call of a function that an earlier call has named. */
    public static final int CALL = 8;

    /** Server to client: a session, or why there is none. */
    public static final int WELCOME = 16;

    /** Server to client: the outcome of a call. */
    public static final int REPLY = 17;

    /** Server to client: send this part of exposed memory. */
    public static final int PULL = 18;

    /** Server to client: receive into this part of exposed memory. */
    public static final int PUSH = 19;

    /** Server to client: bytes for exposed memory, in this very message. */
    public static final int PUSH_INLINE = 20;

    /** Server to client: a transfer ends early. */
    public static final int ABORT = 21;

    /** Server to client: the server closes. */
    public static final int GOODBYE = 22;

    /** In a hello: bulk transfers of this client prefer this session. */
    public static final int FLAG_BULK = 1;

    /** In a call: the input is a handle from which the server pulls it. */
    public static final int FLAG_INPUT_BY_BULK = 1;

    /** In the flags of a call: the client's index of the function, from this bit on. */
    public static final int FUNCTION_INDEX_SHIFT = 8;

    /** The highest index that a client may give a function; 0 is none. */
    public static final int MAX_FUNCTION_INDEX = 255;

    /** In a reply: only the size of the output, which waits to be fetched. */
    public static final int FLAG_OUTPUT_TO_FETCH = 1;

    /**
     * In a done: the client has finished the transfer and forgotten it: all its bytes were sent.
     */
    public static final int FLAG_UNKNOWN = 1;

    /** A hello in full. */
    public static final int HELLO_BYTES = HEADER_BYTES + 16 + 16 + 4 + 4;

    /** A call that names its function, without its input. */
    public static final int NAMED_CALL_BYTES = HEADER_BYTES + 8 + 8 + 4;

    /** A call without its input. */
    public static final int CALL_BYTES = HEADER_BYTES + 4;

    /** A reply without its output. */
    public static final int REPLY_BYTES = HEADER_BYTES + 4;

    /** An inline push without its bytes. */
    public static final int PUSH_INLINE_BYTES = HEADER_BYTES + 8 + 16 + 8 + 4;

    /** The least inbox that a client may have: every message but a reply fits. */
    public static final int LEAST_INBOX_BYTES = 256;

    /** A server sends no message of more bytes to an inbox, however large a client says it is. */
    public static final int MOST_INBOX_BYTES = 64 << 10;

    /** The lower bits of a call's number are its slot, the others tell which use of it this is. */
    public static final int SLOT_BITS = 16;

    /** The highest number of a call or transfer; the next one is 0. */
    public static final long MAX_NUMBER = 0xffff_ffffL;

    /** The most characters of an error text that travel. */
    public static final int MAX_TEXT = 160;

    private Wire() {}

    /**
     * Begins a message.
     *
     * @param out where to, from the beginning
     * @param number of a call or transfer, 0 to {@link #MAX_NUMBER}, else 0
     */
    public static void begin(Encoder out, int kind, int flags, long session, long number) {
        out.reset();
        out.putInt(MAGIC);
        out.putByte((byte) VERSION);
        out.putByte((byte) kind);
        out.putShort((short) flags);
        out.putLong(session);
        out.putInt((int) number);
    }

    /**
     * Begins a message without flags.
     *
     * @param out where to, from the beginning
     * @param number of a call or transfer, 0 to {@link #MAX_NUMBER}, else 0
     */
    public static void begin(Encoder out, int kind, long session, long number) {
        begin(out, kind, 0, session, number);
    }

    /** The flags that a message of a kind may have. */
    static int flagsOf(int kind) {
        return switch (kind) {
            case HELLO -> FLAG_BULK;
            case NAMED_CALL, CALL ->
                    FLAG_INPUT_BY_BULK | MAX_FUNCTION_INDEX << FUNCTION_INDEX_SHIFT;
            case REPLY -> FLAG_OUTPUT_TO_FETCH;
            case DONE -> FLAG_UNKNOWN;
            default -> 0;
        };
    }

    /**
     * A text for a message, cut to what every inbox can take: at most {@link #MAX_TEXT} characters,
     * all of them in ASCII.
     */
    public static String text(String text) {
        StringBuilder cut = new StringBuilder();
        for (int i = 0; i < text.length() && i < MAX_TEXT; i++) {
            char c = text.charAt(i);
            cut.append(c >= ' ' && c < 0x7f ? c : '?');
        }
        if (text.length() > MAX_TEXT) {
            cut.replace(MAX_TEXT - 3, MAX_TEXT, "...");
        }
        return cut.toString();
    }

    /**
     * What an exception says, or only what it is if that fails too: programs override it.
     *
     * @param e of the program, perhaps
     * @param words what to ask it for
     */
    public static String words(Throwable e, Function<? super Throwable, @Nullable String> words) {
        try {
            return String.valueOf(words.apply(e));
        } catch (Exception | Error _) {
            return e.getClass().getName();
        }
    }

    /** An error code as it came from the other side; that of EIO if it is none. */
    public static int checkedCode(int code) {
        return ErrorCode.of(code) == null || code > 0 ? ErrorCode.EIO.negativeValue() : code;
    }

    /** The error of what was thrown: its own, ENOMEM if the heap is full, or {@code other}. */
    public static ErrorCode codeOf(Throwable e, ErrorCode other) {
        return switch (e) {
            case BmiException known -> known.code();
            case OutOfMemoryError _ -> ErrorCode.ENOMEM;
            default -> other;
        };
    }

    /**
     * An error code, or 0, as the outcome of a call. EAGAIN and EINTR become EREMOTE: a client
     * takes them for the end of its own wait.
     */
    public static int outcome(int code) {
        boolean endsWaits =
                code == ErrorCode.EAGAIN.negativeValue() || code == ErrorCode.EINTR.negativeValue();
        return endsWaits ? ErrorCode.EREMOTE.negativeValue() : code;
    }

    /**
     * The number of a name, or of a signature, the same in every process: the first eight bytes of
     * its SHA-256.
     */
    public static long hash(String text) {
        Decoder in = new Decoder();
        in.reset(sha256(text.getBytes(StandardCharsets.UTF_8)), 0, Long.BYTES);
        return in.getLong();
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256.", e);
        }
    }

    /**
     * The name of a client in the handles of its memory: the first sixteen bytes of the SHA-256 of
     * its secret. Only the client knows the secret, and the servers to which it has sent a hello. A
     * process that only gets a handle cannot say hello as the owner.
     */
    public static BulkHandle.Token ownerOf(BulkHandle.Token secret) {
        Encoder out = new Encoder(2 * Long.BYTES);
        out.putToken(secret);
        Decoder in = new Decoder();
        in.reset(sha256(out.toByteArray()), 0, 2 * Long.BYTES);
        return in.getToken();
    }

    /** The signature of a function: what its input and its output consist of. */
    public static String signature(String input, String output) {
        return input + " -> " + output;
    }
}

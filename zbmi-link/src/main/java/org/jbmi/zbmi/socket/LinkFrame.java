package org.jbmi.zbmi.socket;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.protocol.Message;

/**
 * The frames between a client and the gateway, little-endian. Each frame has one purpose. None is
 * longer than {@value #MAX_FRAME_BYTES} bytes.
 *
 * <pre>
 *   0    length of the whole frame (4)
 *   4    magic "ZBML"              (4)
 *   8    version                   (4)
 *   12   kind                      (4)
 *   16   body
 *
 *   HELLO     client    process id (8)
 *   WELCOME   gateway   generation (4), eager slots (4), longest expected message (8),
 *                       longest unexpected message (8), eager limit (4), list entries (4),
 *                       operations (4)
 *   REFUSED   gateway   negative code (4), sentence: length in bytes (2), then UTF-8
 *   GOODBYE   both      -
 *   MESSAGE   both      a {@link Message}: header and words (8 each); after a post that names an
 *                       eager slot, its bytes
 *   CLAIM     client    reference (8), claim (8), partner (8)
 *   DATA      both      reference (8), claim (8), position (8), bytes of the payload
 *   END       client    reference (8), claim (8), status (8)
 *   MOVED     gateway   reference (8), claim (8), status (8)
 *   VOID      gateway   reference (8), claim (8), 0 (8)
 *   RECALL    client    reference (8), 0 (8), 0 (8)
 * </pre>
 *
 * <p>Header, GOODBYE and REFUSED stay as they are in every version, so that a peer of another
 * version understands the refusal.
 */
public final class LinkFrame {
    /** Changes whenever a frame changes; other versions are refused. */
    public static final int VERSION = 2;

    /** "ZBML". */
    static final int MAGIC = 0x4c4d425a;

    /** The first frame, from the client. */
    public static final int HELLO = 1;

    /** Acceptance. */
    public static final int WELCOME = 2;

    /** Refusal; the gateway closes the socket. */
    public static final int REFUSED = 3;

    /** The client closes the link; or the gateway does, since the server has closed normally. */
    public static final int GOODBYE = 4;

    /** A message between client and engine. */
    public static final int MESSAGE = 5;

    /** The client claims an offer of the message that the partner names. */
    public static final int CLAIM = 6;

    /** A piece of payload. */
    public static final int DATA = 7;

    /** The client has received all bytes, or cannot go on with a claim. */
    public static final int END = 8;

    /** The outcome of a claim. */
    public static final int MOVED = 9;

    /** A claim came too late: the operation is still pending. */
    public static final int VOID = 10;

    /** The client wants the bytes of an eager message back. */
    public static final int RECALL = 11;

    /** Bytes before the body. */
    public static final int HEADER_BYTES = 16;

    /** A frame of three words, and DATA without its payload. */
    static final int NOTE_BYTES = HEADER_BYTES + 3 * Long.BYTES;

    /** Most payload of one DATA frame. */
    public static final int MAX_DATA_BYTES = 256 << 10;

    /** Most bytes of an eager message. */
    public static final int MAX_EAGER_BYTES = 32 << 10;

    /** The longest MESSAGE without eager payload. */
    public static final int MESSAGE_BYTES = HEADER_BYTES + Message.MAX_BYTES;

    /** Longest frame of all. */
    public static final int MAX_FRAME_BYTES = NOTE_BYTES + MAX_DATA_BYTES;

    private LinkFrame() {}

    /** Whether a word is a valid negative code. */
    public static boolean isCode(long word) {
        int code = (int) word;
        return word < 0 && code == word && ErrorCode.of(code) != null;
    }
}

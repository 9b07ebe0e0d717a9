package org.jbmi.zbmi.protocol.handshake;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

/**
 * The host's refusal; the host closes the socket after this frame.
 *
 * @param code a negative {@link ErrorCode}
 * @param sentence why, for people; up to 1024 bytes
 */
public record Refused(int code, String sentence) implements HandshakeFrame {
    /** The refusal as an exception; a number that is no code becomes {@link ErrorCode#EPROTO}. */
    public BmiException asException() {
        ErrorCode known = ErrorCode.of(code);
        return new BmiException(known == null ? ErrorCode.EPROTO : known, sentence);
    }
}

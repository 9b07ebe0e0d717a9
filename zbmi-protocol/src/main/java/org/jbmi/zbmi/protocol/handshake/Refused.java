package org.jbmi.zbmi.protocol.handshake;

/**
 * The host's refusal; the host closes the socket after it.
 *
 * @param code a negative {@link org.jbmi.ErrorCode}
 * @param sentence why, for people; up to 1024 bytes
 */
public record Refused(int code, String sentence) implements HandshakeFrame {}

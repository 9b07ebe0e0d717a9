package org.jbmi.zbmi.protocol.handshake;

/**
 * A normal end, from the peer: it touches no memory of the segment any more.
 *
 * @param isLost whether it is for a remote client that was lost and did not say goodbye itself
 */
public record Goodbye(boolean isLost) implements HandshakeFrame {}

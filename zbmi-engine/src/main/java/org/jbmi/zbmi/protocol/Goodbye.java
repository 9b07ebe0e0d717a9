package org.jbmi.zbmi.protocol;

/**
 * A clean end, from the peer: it promises to touch nothing in the segment any more.
 *
 * @param isLost whether it speaks for a remote client that was lost, rather than took its leave
 */
public record Goodbye(boolean isLost) implements HandshakeFrame {}

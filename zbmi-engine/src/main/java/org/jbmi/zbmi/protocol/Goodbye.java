package org.jbmi.zbmi.protocol;

/** A clean end, from the peer: it promises to touch nothing in the segment any more. */
public record Goodbye() implements HandshakeFrame {}

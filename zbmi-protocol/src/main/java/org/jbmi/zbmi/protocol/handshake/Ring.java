package org.jbmi.zbmi.protocol.handshake;

/** From a peer whose host sleeps in a selector: read the doorbell. */
public record Ring() implements HandshakeFrame {}

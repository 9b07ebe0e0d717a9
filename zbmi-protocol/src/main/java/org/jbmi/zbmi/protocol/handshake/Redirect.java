package org.jbmi.zbmi.protocol.handshake;

/**
 * From a daemon whose server hosts the engine itself: attach there. The daemon closes the socket
 * after this frame.
 *
 * @param socketPath the Unix-domain socket of the host
 */
public record Redirect(String socketPath) implements HandshakeFrame {}

package org.jbmi.zbmi.protocol.handshake;

/**
 * A question of a process that is no peer: asks for a page of the pending operations. The
 * connection may ask again when the answer has come.
 *
 * @param firstSlot where the page begins: 0, or {@link OperationsPage#nextSlot} of the page before
 */
public record AskOperations(int firstSlot) implements HandshakeFrame {}

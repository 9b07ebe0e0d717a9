package org.jbmi.zbmi.protocol;

/**
 * From somebody who looks in from outside, without being a peer: asks for a page of the pending
 * operations. The connection may ask again when the answer is there.
 *
 * @param firstSlot where the page begins: 0, or {@link OperationsPage#nextSlot} of the page before
 */
public record AskOperations(int firstSlot) implements HandshakeFrame {}

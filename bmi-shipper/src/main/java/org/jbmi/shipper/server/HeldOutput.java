package org.jbmi.shipper.server;

/**
 * An output that is too large for the client's inbox, until the client has fetched it.
 *
 * @param message a reply with the output behind its head
 * @param offset where the output begins
 * @param length its size in bytes
 * @param deadlineNs the deadline of the call, which another one replaces until the client fetches
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HeldOutput(byte[] message, int offset, int length, long deadlineNs) {}

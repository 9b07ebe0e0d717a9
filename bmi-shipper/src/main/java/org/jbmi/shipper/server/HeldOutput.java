package org.jbmi.shipper.server;

/**
 * An output that is too large for the client's inbox, until the client has fetched it.
 *
 * @param message a reply with the output behind its head
 * @param offset where the output begins
 * @param length its size in bytes
 * @param deadlineNs the deadline of the call; until the client fetches the output, another one
 *     replaces it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HeldOutput(byte[] message, int offset, int length, long deadlineNs) {}

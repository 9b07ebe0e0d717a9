package org.jbmi;

/**
 * Somebody to send to or receive from: looked up by its address, or met as the sender of an
 * unexpected message. Belongs to one {@link Bmi}; another one refuses it. Safe for use by any
 * thread.
 */
public interface PeerAddress {
    /**
     * The handle's number, counted from 1 in each {@link Bmi} and never used again.
     *
     * @return a positive number
     */
    long id();

    /**
     * The scheme of the method that reaches this peer.
     *
     * @return for example {@code "zoid"}
     */
    String scheme();

    /**
     * A name for people: the address that was looked up, or the method's own name for a sender.
     *
     * @return never empty; {@code "UNKNOWN"} where nothing is known
     */
    String displayName();
}

package org.jbmi.zbmi.protocol.handshake;

/**
 * Sizes that the engine accepts from its peers.
 *
 * @param maxExpectedBytes longest expected message
 * @param maxUnexpectedBytes longest unexpected message
 * @param eagerBytes longest message that a client may lay into an eager slot
 * @param maxListEntries most entries of a list
 * @param maxOperations operations that this session may have pending
 */
public record SessionLimits(
        long maxExpectedBytes,
        long maxUnexpectedBytes,
        int eagerBytes,
        int maxListEntries,
        int maxOperations) {

    /**
     * Checks every number.
     *
     * @throws IllegalArgumentException for one that makes no sense, in words
     */
    public SessionLimits {
        requirePositive("longest expected message", maxExpectedBytes);
        requirePositive("longest unexpected message", maxUnexpectedBytes);
        requirePositive("longest list", maxListEntries);
        requirePositive("number of operations", maxOperations);
        if (eagerBytes < 0) {
            throw new IllegalArgumentException("an eager limit of " + eagerBytes + " bytes");
        }
    }

    private static void requirePositive(String what, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(value + " is no " + what);
        }
    }
}

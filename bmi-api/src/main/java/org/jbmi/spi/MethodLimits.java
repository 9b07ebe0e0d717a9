package org.jbmi.spi;

/**
 * The sizes a method works with.
 *
 * @param maxExpectedBytes largest expected message, in bytes
 * @param maxUnexpectedBytes largest unexpected message, in bytes
 * @param eagerBytes largest message whose bytes may travel before its receive is known, 0 for none
 * @param maxListCount most buffers in a list
 */
public record MethodLimits(
        long maxExpectedBytes, long maxUnexpectedBytes, long eagerBytes, int maxListCount) {}

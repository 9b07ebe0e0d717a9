package org.jbmi.spi;

/**
 * The sizes a method works with.
 *
 * @param maxExpectedBytes largest expected message, in bytes
 * @param maxUnexpectedBytes largest unexpected message, in bytes
 * @param eagerBytes largest message that the method sends in its short form, 0 if it has none
 * @param maxListCount most buffers in a list
 */
public record MethodLimits(
        long maxExpectedBytes, long maxUnexpectedBytes, long eagerBytes, int maxListCount) {}

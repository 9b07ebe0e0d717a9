package org.jbmi.spi;

/**
 * The sizes a method works with.
 *
 * @param maxExpectedBytes largest expected message, in bytes
 * @param maxUnexpectedBytes largest unexpected message, in bytes
 * @param eagerBytes largest message that the method sends as an eager message (see the glossary), 0
 *     if it sends none
 * @param maxListCount most buffers in a list
 */
public record MethodLimits(
        long maxExpectedBytes, long maxUnexpectedBytes, long eagerBytes, int maxListCount) {}

package org.jbmi;

/**
 * An operation that was posted and is not yet reported, as {@link Bmi#pendingOperations} found it.
 *
 * @param id by which the program that posted it knows it
 * @param method the name of its method, for example {@code tcp}
 * @param peer the name of its peer
 * @param kind {@code send}, {@code receive} or {@code send_unexpected}
 * @param tag its tag
 * @param sizeBytes the bytes to send, or the room to receive
 * @param isOver whether it has its outcome, which no test call has reported yet
 * @param ageNs nanoseconds since somebody first saw it: it is at least so old. A post reads no
 *     clock; while a thread of the instance waits in a test call, one second is the most that is
 *     missing
 */
public record PendingOperation(
        long id,
        String method,
        String peer,
        String kind,
        int tag,
        long sizeBytes,
        boolean isOver,
        long ageNs) {}

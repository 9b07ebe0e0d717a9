package org.jbmi;

/**
 * An operation that was posted and is not yet reported, as {@link Bmi#pendingOperations} found it.
 *
 * @param id what its post returned
 * @param method the name of its method, for example {@code tcp}
 * @param peer the name of its peer
 * @param kind {@code send}, {@code receive} or {@code send_unexpected}
 * @param tag its tag
 * @param sizeBytes the bytes to send, or the room to receive
 * @param isOver whether it has its outcome, which no test call has reported yet
 * @param ageNs the operation is at least so old, in nanoseconds: the time since the library first
 *     noted it. A post reads no clock. Instead, a thread that is about to sleep in a test call
 *     notes what is pending, at most once a second. So the operation may be up to two seconds older
 *     than this value, and more if all threads poll and none sleeps
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

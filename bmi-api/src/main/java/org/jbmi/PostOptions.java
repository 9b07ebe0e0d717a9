package org.jbmi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The options of a post. Immutable: make it once and use it for any number of posts, from any
 * thread.
 *
 * @param poolOnly true if each buffer must be memory of {@link PeerAddress#allocate}, as with the C
 *     library's {@code BMI_PRE_ALLOC}. A server then refuses a post with other memory with {@link
 *     ErrorCode#EINVAL}. Different buffers may lie in different blocks. On a client of loopback,
 *     tcp or zoid it has no effect.
 * @param idleDeadlineMs the operation ends with {@link ErrorCode#ETIMEDOUT} when none of its bytes
 *     moved for so many milliseconds; 0 for no deadline
 * @param deadlineMs the operation ends with {@link ErrorCode#ETIMEDOUT} so many milliseconds after
 *     its post; 0 for no deadline
 * @param hints names and values, without an effect on the post. The flight recorder's event {@code
 *     org.jbmi.Post} shows them in their order
 * @param neverWaits true if a post on a zoid server must not wait. By default such a post waits
 *     while a client moves the bytes at once, and is then complete; the knob {@code
 *     zbmi.immediateWaitMs} bounds this wait. With this option the operation is pending instead,
 *     and a test call reports it. Use the option in a thread that serves many clients. It has no
 *     effect on a zoid client and on other methods
 */
public record PostOptions(
        boolean poolOnly,
        long idleDeadlineMs,
        long deadlineMs,
        Map<String, String> hints,
        boolean neverWaits) {
    /** No options. */
    public static final PostOptions NONE = new PostOptions(false, 0, 0, Map.of(), false);

    /** Checks the values and keeps a copy of the hints. */
    public PostOptions {
        if (idleDeadlineMs < 0 || deadlineMs < 0) {
            throw new BmiException(ErrorCode.EINVAL, "A deadline in milliseconds is 0 or more.");
        }
        hints = Collections.unmodifiableMap(new LinkedHashMap<>(hints));
    }

    /**
     * The same, with buffers that must lie in the pool.
     *
     * @return a new value
     */
    public PostOptions withPoolOnly() {
        return new PostOptions(true, idleDeadlineMs, deadlineMs, hints, neverWaits);
    }

    /**
     * The same, with a deadline that starts again whenever bytes of the operation move.
     *
     * @param milliseconds 0 for no deadline
     * @return a new value
     */
    public PostOptions withIdleDeadlineMs(long milliseconds) {
        return new PostOptions(poolOnly, milliseconds, deadlineMs, hints, neverWaits);
    }

    /**
     * The same, with a deadline counted from the post.
     *
     * @param milliseconds 0 for no deadline
     * @return a new value
     */
    public PostOptions withDeadlineMs(long milliseconds) {
        return new PostOptions(poolOnly, idleDeadlineMs, milliseconds, hints, neverWaits);
    }

    /**
     * The same, with hints for tracing.
     *
     * @param newHints names and values
     * @return a new value
     */
    public PostOptions withHints(Map<String, String> newHints) {
        return new PostOptions(poolOnly, idleDeadlineMs, deadlineMs, newHints, neverWaits);
    }

    /**
     * The same, for a post on a zoid server that must not wait.
     *
     * @return a new value
     */
    public PostOptions withoutWaiting() {
        return new PostOptions(poolOnly, idleDeadlineMs, deadlineMs, hints, true);
    }
}

package org.jbmi;

/**
 * What a cancel did. The operation, if there is one, is still reported by a test call, exactly
 * once.
 */
public enum CancelOutcome {
    /**
     * The operation ends with {@link ErrorCode#ECANCEL}, perhaps a moment later. Once a test call
     * has reported this, no byte of the buffer is touched any more.
     */
    CANCELLED,
    /**
     * The method cannot decide at once. A test call reports the outcome: {@link ErrorCode#ECANCEL},
     * or the real outcome if the transfer ends first.
     */
    REQUESTED,
    /** The operation was over before; its own outcome is reported. */
    ALREADY_DONE,
    /** No such operation: unknown, reported before, or of another context. Nothing happened. */
    UNKNOWN
}

package org.jbmi;

/**
 * Reads what a post returned. A post returns one {@code long}, so its result needs no object:
 *
 * <ul>
 *   <li><b>pending</b>: the value is the id of the operation; its outcome is reported exactly once
 *       by a test call. Ids are at least {@code 2^62}; none is reused within years.
 *   <li><b>completed at once</b>: the value is the number of bytes moved. There is no id, and no
 *       completion follows; the buffer is the caller's again.
 *   <li><b>refused</b>: the value is a negative {@link ErrorCode}; no operation exists and the
 *       buffer is the caller's again.
 * </ul>
 */
public final class PostResult {
    /** Set in every operation id, and in no size or error. */
    public static final long PENDING_BIT = 1L << 62;

    private PostResult() {}

    /**
     * Whether the operation is pending.
     *
     * @param result what a post returned
     * @return true if {@code result} is an operation id
     */
    public static boolean isPending(long result) {
        return result >= PENDING_BIT;
    }

    /**
     * Whether the operation was done when the post returned.
     *
     * @param result what a post returned
     * @return true if {@code result} is a size in bytes
     */
    public static boolean isCompleted(long result) {
        return result >= 0 && result < PENDING_BIT;
    }

    /**
     * Whether there is no operation.
     *
     * @param result what a post returned
     * @return true if {@code result} is a negative error number
     */
    public static boolean isRefused(long result) {
        return result < 0;
    }

    /**
     * The reason of a refusal.
     *
     * @param result what a post returned
     * @return the code
     * @throws BmiException with {@link ErrorCode#EINVAL} if the post was not refused
     */
    public static ErrorCode refusal(long result) {
        ErrorCode code = result < 0 ? ErrorCode.of(result) : null;
        if (code == null) {
            throw new BmiException(
                    ErrorCode.EINVAL, "The result " + result + " is not that of a refused post.");
        }
        return code;
    }
}

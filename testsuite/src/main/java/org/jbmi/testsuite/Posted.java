package org.jbmi.testsuite;

import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PostResult;
import org.jspecify.annotations.Nullable;

import java.util.function.BooleanSupplier;

/** The result of a post: completed at once, refused, or pending and to be tested. */
public final class Posted {
    private static final long STEP_MS = 1;
    private static final long PATIENCE_NS = 20_000_000_000L;

    private final CompletionContext context;
    private final long result;
    private final Completions room = Completions.ofCapacity(1);
    private boolean done;
    private int error;
    private long sizeBytes;
    private @Nullable Object data;

    /**
     * Wraps the result of a post.
     *
     * @param context where it was posted
     * @param result what the post returned
     */
    public Posted(CompletionContext context, long result) {
        this.context = context;
        this.result = result;
        if (!PostResult.isPending(result)) {
            done = true;
            error = (int) Math.min(result, 0);
            sizeBytes = Math.max(result, 0);
        }
    }

    /** {@return what the post returned: an id, a size or a code} */
    public long result() {
        return result;
    }

    /** {@return whether the post left an operation behind, which has to be tested} */
    public boolean wasPending() {
        return PostResult.isPending(result);
    }

    /**
     * Whether a completion is this post's.
     *
     * @param where the context that reported it; other instances have the same ids
     * @param id of the operation
     * @return true if this left that operation behind
     */
    public boolean isReportedBy(CompletionContext where, long id) {
        return wasPending() && result == id && context.equals(where);
    }

    /**
     * Asks once.
     *
     * @param idleMs how long to wait
     * @return whether the outcome is known
     */
    public boolean isDone(long idleMs) {
        if (!done && context.test(result, room, idleMs) == 1) {
            Expect.equal(room.id(0), result, "the id in the completion");
            error = room.outcome(0).negativeValue();
            sizeBytes = room.sizeBytes(0);
            data = room.userData(0);
            done = true;
        }
        return done;
    }

    /**
     * Takes the outcome from elsewhere: another test call delivered it.
     *
     * @param completions what it delivered
     * @param k which of them
     */
    public void takeFrom(Completions completions, int k) {
        Expect.that(!done, "an operation is reported once");
        error = completions.outcome(k).negativeValue();
        sizeBytes = completions.sizeBytes(k);
        data = completions.userData(k);
        done = true;
    }

    /**
     * Waits until all of several operations are done. Both sides are asked in turn, since on some
     * methods a side moves only while it asks.
     *
     * @param operations in any states
     */
    public static void finish(Posted... operations) {
        await(
                () -> {
                    boolean all = true;
                    for (Posted operation : operations) {
                        all &= operation.isDone(all ? STEP_MS : 0);
                    }
                    return all;
                },
                "Operations are still pending after 20 s.");
    }

    /**
     * Waits until this one is done, and meanwhile asks for others that may stay pending: on some
     * methods their sides move only so.
     *
     * @param others of the other side
     */
    public void finishBeside(Posted... others) {
        await(
                () -> {
                    for (Posted other : others) {
                        other.isDone(0);
                    }
                    return isDone(STEP_MS);
                },
                "The operation is still pending after 20 s, beside others.");
    }

    private static void await(BooleanSupplier finished, String failure) {
        long endNs = System.nanoTime() + PATIENCE_NS;
        while (!finished.getAsBoolean()) {
            if (System.nanoTime() - endNs > 0) {
                throw new ConformanceFailure(failure);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new ConformanceFailure("The case was interrupted.");
            }
        }
    }

    /**
     * Waits for the outcome and fails unless it is a success.
     *
     * @param expectedBytes the size it must carry
     * @return this
     */
    public Posted succeeds(long expectedBytes) {
        finish(this);
        Expect.equal(error, 0, "the error code of the operation");
        Expect.equal(sizeBytes, expectedBytes, "the size of the message");
        return this;
    }

    /**
     * Waits for the outcome and fails unless it is a certain failure, of the post or later.
     *
     * @param expected the code
     * @return this
     */
    public Posted fails(ErrorCode expected) {
        finish(this);
        Expect.code(error, expected, "the error code of the operation");
        Expect.equal(sizeBytes, 0, "the size reported with a failure");
        return this;
    }

    /**
     * Fails unless the post was refused.
     *
     * @param expected the code
     */
    public void isRefused(ErrorCode expected) {
        Expect.code(result, expected, "the result of the post");
    }

    /** Fails unless the operation is pending and stays so for a moment. */
    public void staysPending() {
        Expect.that(wasPending(), "the post left an operation pending");
        Expect.that(!isDone(20), "the operation is still pending");
    }

    /** Cancels it and waits until it ended with that. */
    public void cancelled() {
        context.cancel(result);
        fails(ErrorCode.ECANCEL);
    }

    /**
     * Fails if a cancel said that it ends with ECANCEL, and it did not.
     *
     * @param outcome what the cancel of this operation said; the operation is done
     */
    public void agreesWith(CancelOutcome outcome) {
        if (outcome == CancelOutcome.CANCELLED) {
            fails(ErrorCode.ECANCEL);
        }
    }

    /** {@return the outcome's code, 0 or less; meaningful when done} */
    public int error() {
        return error;
    }

    /** {@return the outcome's size in bytes; meaningful when done} */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** {@return the object that was given to the post, null if it was done at once} */
    public @Nullable Object data() {
        return data;
    }
}

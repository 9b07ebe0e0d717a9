package org.jbmi.testsuite;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The checks of cases; they need no test framework. */
public final class Expect {
    private static final long PATIENCE_NS = 10_000_000_000L;
    private static final long PAUSE_NS = 500_000;
    private static final int SOON_ATTEMPTS = 15;
    private static final int SOON_LEAD = 2;

    private Expect() {}

    /**
     * Fails unless something holds.
     *
     * @param holds whether it does
     * @param what the claim
     */
    public static void that(boolean holds, String what) {
        if (!holds) {
            throw new ConformanceFailure("Expected that " + what + ".");
        }
    }

    /**
     * Fails unless two numbers are equal.
     *
     * @param actual what is
     * @param expected what should be
     * @param what the number
     */
    public static void equal(long actual, long expected, String what) {
        if (actual != expected) {
            throw new ConformanceFailure(what + " is " + name(actual) + ", not " + name(expected));
        }
    }

    /**
     * Fails unless a boxed number is equal to a plain one.
     *
     * @param actual what is
     * @param expected what should be
     * @param what the number
     */
    public static void equal(Number actual, long expected, String what) {
        equal(actual.longValue(), expected, what);
    }

    /**
     * Fails unless two objects are equal.
     *
     * @param actual what is
     * @param expected what should be
     * @param what the object
     */
    public static void equal(@Nullable Object actual, @Nullable Object expected, String what) {
        if (!Objects.equals(actual, expected)) {
            throw new ConformanceFailure(what + " is " + actual + ", not " + expected);
        }
    }

    /**
     * Fails unless two references are to the very same object.
     *
     * @param actual what is
     * @param expected what should be
     * @param what the object
     */
    @SuppressWarnings("ReferenceEquality")
    public static void same(@Nullable Object actual, @Nullable Object expected, String what) {
        if (actual != expected) {
            throw new ConformanceFailure(what + " is " + actual + ", not the very " + expected);
        }
    }

    /**
     * Fails unless a result carries a code, with its negative sign.
     *
     * @param actual what a call returned or a completion carries
     * @param expected the code
     * @param what the result
     */
    public static void code(long actual, ErrorCode expected, String what) {
        equal(actual, expected.negativeValue(), what);
    }

    /**
     * Fails unless a call throws with a code.
     *
     * @param expected the code
     * @param call what to do
     * @param what the call
     */
    public static void refusal(ErrorCode expected, Runnable call, String what) {
        try {
            call.run();
        } catch (BmiException e) {
            equal(e.code(), expected, "the code of " + what);
            that(!String.valueOf(e.getMessage()).isBlank(), "a sentence explains " + what);
            return;
        }
        throw new ConformanceFailure(what + " was not refused with " + expected);
    }

    /**
     * Fails unless two pieces of memory hold the same bytes.
     *
     * @param actual what is
     * @param expected what should be
     * @param what the bytes
     */
    public static void bytes(MemorySegment actual, MemorySegment expected, String what) {
        equal(actual.byteSize(), expected.byteSize(), "the length of " + what);
        long difference = actual.mismatch(expected);
        if (difference >= 0) {
            throw new ConformanceFailure(what + " differ at byte " + difference);
        }
    }

    /**
     * Waits for a condition that must become true soon.
     *
     * @param holds the condition
     * @param what the claim
     */
    public static void eventually(BooleanSupplier holds, String what) {
        long endNs = System.nanoTime() + PATIENCE_NS;
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - endNs > 0 || Thread.currentThread().isInterrupted()) {
                throw new ConformanceFailure("It did not come about that " + what + ".");
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    /**
     * Fails unless a wait ends soon in most attempts. A machine that is busy gives the threads no
     * processor in some of them, so soon must lead by a little over late.
     *
     * @param attempt returns how long it took, in nanoseconds
     * @param soonNs what is soon
     * @param what the wait
     * @throws Exception if an attempt does
     */
    public static void mostlySoon(Callable<Long> attempt, long soonNs, String what)
            throws Exception {
        List<Long> tookMs = new ArrayList<>();
        int lead = 0;
        while (lead < SOON_LEAD && lead + SOON_ATTEMPTS - tookMs.size() >= SOON_LEAD) {
            long tookNs = attempt.call();
            tookMs.add(TimeUnit.NANOSECONDS.toMillis(tookNs));
            lead += tookNs <= soonNs ? 1 : -1;
        }
        that(lead == SOON_LEAD, what + " ends soon more often than late: " + tookMs + " ms");
    }

    private static String name(long number) {
        ErrorCode code = number < 0 ? ErrorCode.of(number) : null;
        return code == null ? Long.toString(number) : "-" + code;
    }
}

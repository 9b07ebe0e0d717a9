package org.jbmi.testsuite;

import java.util.Arrays;

/**
 * The size of a case that takes long in full. A quick run, such as {@code mvn verify}, uses the
 * smaller number; a full run, such as {@code mvn verify -Plong}, the number of the case's
 * definition. The row of the case in docs/conformance.md names both.
 */
public enum Amount {
    /** Clients that come and go. */
    CLIENTS(29, 200, 10_000),
    /** Random allocations and frees. */
    ALLOCATIONS(59, 200_000, 1_000_000),
    /** Outcomes for which two test calls race. */
    TEST_RACES(136, 300, 1_000),
    /** Milliseconds of the longest wait that is measured. */
    LONG_WAIT_MS(154, 300, 1_000),
    /** Threads with a tag each. */
    TAG_THREADS(185, 8, 16),
    /** Rounds of each of these threads. */
    TAG_ROUNDS(185, 500, 10_000),
    /** Cancels that race with a completion. */
    CANCEL_RACES(192, 2_000, 100_000),
    /** Cancels that race with a retry. */
    RETRY_RACES(200, 200, 100_000),
    /** Operations of many threads of a server. */
    REPLIES(218, 1_280, 100_000),
    /** Operations of many posters and one poller. */
    POSTS(222, 8_000, 1_000_000),
    /** Unexpected messages of many threads. */
    UNEXPECTED_OF_THREADS(336, 4_000, 400_000),
    /** Clients that are killed in a transfer. */
    KILLED_IN_TRANSFER(228, 1, 20),
    /** Clients that are killed anywhere. */
    KILLED_ANYWHERE(229, 1, 20),
    /** Daemons that are killed and started again. */
    RESTARTS(232, 1, 10),
    /** Milliseconds for which a process is stopped while others go on. */
    STOP_MS(241, 800, 3_000),
    /** Milliseconds for which all processes but a client are stopped. */
    PAUSE_MS(242, 600, 2_000),
    /** Rounds of programs that test by id only. */
    TESTS_BY_ID(310, 3_000, 10_000_000),
    /** Cancelled receives that are too small for the next message. */
    SMALL_CANCELS(331, 300, 20_000);

    /** The factor for the watchdog's time in a full run. */
    static final int PATIENCE = 40;

    private final int caseId;
    private final int quick;
    private final int full;

    Amount(int caseId, int quick, int full) {
        this.caseId = caseId;
        this.quick = quick;
        this.full = full;
    }

    /** {@return the number of the case} */
    public int caseId() {
        return caseId;
    }

    /** {@return how many in a quick run} */
    public int quick() {
        return quick;
    }

    /** {@return how many in a full run} */
    public int full() {
        return full;
    }

    /** Whether a case has such numbers. */
    static boolean isOf(ConformanceCase one) {
        return Arrays.stream(values()).anyMatch(amount -> amount.caseId == one.id());
    }
}

package org.jbmi.rig.perf.worker;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PostResult;

/** Ends a measurement if a message fails. */
final class Refusals {
    private Refusals() {}

    /** Ends a measurement whose post was refused. */
    static void check(long postResult) {
        if (PostResult.isRefused(postResult)) {
            throw failed("A post was refused", (int) postResult);
        }
    }

    /** Ends a measurement whose operation failed. */
    static void checkDone(int error) {
        if (error != 0) {
            throw failed("A message failed", error);
        }
    }

    private static BmiException failed(String what, int error) {
        ErrorCode code = ErrorCode.ofOutcome(error);
        return new BmiException(code, what + ": " + code + ".");
    }
}

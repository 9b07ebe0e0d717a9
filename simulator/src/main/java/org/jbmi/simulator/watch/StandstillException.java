package org.jbmi.simulator.watch;

import java.io.Serial;

/**
 * A simulation does not go on: a simulated thread waits for something that no other one can do,
 * since all are frames of one thread. The stack trace is that of this thread; the frame that holds
 * something is below the one that waits for it.
 */
public final class StandstillException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    StandstillException(String sentence, StackTraceElement[] where) {
        super(sentence);
        setStackTrace(where);
    }
}

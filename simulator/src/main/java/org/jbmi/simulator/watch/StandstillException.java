package org.jbmi.simulator.watch;

import java.io.Serial;

/**
 * A simulation does not go on: a played thread waits for something that no other one can bring
 * about, since all of them are frames of one thread. Its stack trace is that of this thread, with
 * who holds below who waits.
 */
public final class StandstillException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    StandstillException(String sentence, StackTraceElement[] where) {
        super(sentence);
        setStackTrace(where);
    }
}

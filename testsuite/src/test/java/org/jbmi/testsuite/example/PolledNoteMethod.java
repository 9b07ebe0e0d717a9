package org.jbmi.testsuite.example;

import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.SleepPlace;
import org.jbmi.spi.Waitable;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** The method with a poll, which does once what a test says. */
final class PolledNoteMethod extends NoteMethod implements Waitable {
    /** Kept when it is over: in a full heap its memory would be room for others. */
    private @Nullable Runnable event;

    private volatile boolean isDue;

    PolledNoteMethod(MethodHost host, Board board, MethodLimits limits) {
        super(host, board, limits);
    }

    /** The next poll does this; it may throw. */
    void nextPoll(Runnable next) {
        event = next;
        isDue = true;
    }

    @Override
    public Waitable waitable() {
        return this;
    }

    @Override
    public int poll() {
        if (!isDue) {
            return 0;
        }
        isDue = false;
        Objects.requireNonNull(event).run();
        return 1;
    }

    @Override
    public boolean arm(boolean isSleptIn) {
        return !isDue;
    }

    @Override
    public void disarm() {}

    @Override
    public SleepPlace sleepsOn() {
        return new SleepPlace.Anywhere();
    }
}

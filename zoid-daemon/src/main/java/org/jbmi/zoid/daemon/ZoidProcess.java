package org.jbmi.zoid.daemon;

import org.jbmi.zoid.forward.wire.Attendance;

import java.util.concurrent.Semaphore;

/** A connected process. */
final class ZoidProcess {
    private static final int MOST_LARGE = 4;

    private final int id;
    private final Attendance.In words;
    private final String address;
    private final Semaphore large = new Semaphore(MOST_LARGE, true);

    ZoidProcess(int id, Attendance.In words, String address) {
        this.id = id;
        this.words = words;
        this.address = address;
    }

    int id() {
        return id;
    }

    Attendance.In words() {
        return words;
    }

    int rank() {
        return words.rank();
    }

    String job() {
        return words.job();
    }

    boolean hasRank() {
        return words.rank() >= 0;
    }

    /** Limits its large buffers, so that one process does not take all. */
    Semaphore large() {
        return large;
    }

    @Override
    public String toString() {
        return "process " + id + " (" + address + (hasRank() ? ", rank " + rank() : "") + ")";
    }
}

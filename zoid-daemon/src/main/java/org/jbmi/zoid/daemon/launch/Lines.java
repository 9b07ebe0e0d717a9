package org.jbmi.zoid.daemon.launch;

import java.io.PrintStream;
import java.util.Arrays;

/** Joins pieces to lines, so that lines of several writers do not mix. For one thread at a time. */
public final class Lines {
    private static final int LONGEST = 64 << 10;

    private final PrintStream to;
    private byte[] line = new byte[128];
    private int length;

    /**
     * Begins with an empty line.
     *
     * @param to gets the lines; all writers to it use one lock, its own
     */
    public Lines(PrintStream to) {
        this.to = to;
    }

    /**
     * Adds a piece, and writes the lines that it ends.
     *
     * @param piece its beginning is added
     * @param count how many bytes
     */
    public void write(byte[] piece, int count) {
        for (int i = 0; i < count; i++) {
            if (length == line.length) {
                line = Arrays.copyOf(line, 2 * length);
            }
            line[length++] = piece[i];
            if (piece[i] == '\n' || length == LONGEST) {
                flush();
            }
        }
    }

    /** Writes the line that has begun, also if it has no end. */
    public void flush() {
        int count = length;
        if (count == 0) {
            return; // the lock may be with one that waits for who takes the output
        }
        length = 0; // also if this fails
        synchronized (to) {
            to.write(line, 0, count);
            to.flush();
        }
    }

    /** Whether nobody takes the lines: their reader has gone, or the device is full. */
    boolean isLost() {
        return to.checkError();
    }
}

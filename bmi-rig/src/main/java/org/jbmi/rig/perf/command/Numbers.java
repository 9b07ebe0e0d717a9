package org.jbmi.rig.perf.command;

/** Bounds of numbers on the command line. */
final class Numbers {
    private Numbers() {}

    /** Throws an exception with a message unless a number is within its bounds. */
    static void between(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "--" + name + " goes from " + least + " to " + most + ", not " + value);
        }
    }
}

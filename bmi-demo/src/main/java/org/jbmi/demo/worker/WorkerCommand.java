package org.jbmi.demo.worker;

import java.util.Locale;

/** What the coordinator tells a worker to do. */
public enum WorkerCommand {
    /** A client: ship the file to the server. */
    WRITE,
    /** A client: fetch the file back. */
    READ,
    /** Everybody: end. */
    QUIT;

    /**
     * The command as a line.
     *
     * @return one word
     */
    public String line() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads a line.
     *
     * @param line what came; anything unknown means that something is wrong
     * @return the command, {@link #QUIT} for a line that is none
     */
    public static WorkerCommand parse(String line) {
        for (WorkerCommand command : values()) {
            if (command.line().equals(line)) {
                return command;
            }
        }
        return QUIT;
    }
}

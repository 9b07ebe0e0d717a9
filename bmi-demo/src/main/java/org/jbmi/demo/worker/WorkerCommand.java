package org.jbmi.demo.worker;

import java.util.Locale;

/** A command of the coordinator to a worker. */
public enum WorkerCommand {
    /** For a client: copy the file to the server. */
    WRITE,
    /** For a client: copy the file back. */
    READ,
    /** For all workers: end. */
    QUIT;

    /** {@return the command as a line of one word} */
    public String line() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** {@return the command of a line; {@link #QUIT} for an unknown line} */
    public static WorkerCommand parse(String line) {
        for (WorkerCommand command : values()) {
            if (command.line().equals(line)) {
                return command;
            }
        }
        return QUIT;
    }
}

package org.jbmi.zoid.forward.wire;

import org.jbmi.shipper.codec.Shipped;

import java.util.List;

/** How a process connects: by a call that is under way as long as the process lives. */
public final class Attendance {
    private Attendance() {}

    /**
     * Connects a process.
     *
     * @param key a random number that only this process and the server know
     * @param rank its rank, -1 if it has none
     * @param size how many processes its job has, -1 if it has no rank
     * @param job which job, empty if it belongs to none
     * @param program what it runs, with its arguments
     */
    @Shipped
    public record In(long key, int rank, int size, String job, List<String> program) {}

    /**
     * The server ends the connection.
     *
     * @param error 0, or why the server refuses the process
     */
    @Shipped
    public record Out(int error) {}

    /**
     * A process asks for its number.
     *
     * @param key the key with which it has connected
     */
    @Shipped
    public record JoinIn(long key) {}

    /**
     * The number of a process, and the limits of its calls.
     *
     * @param error 0, or why the server refuses the process
     * @param process its number
     * @param limitBytes how large a request or a reply may be
     * @param thresholdBytes above which size a request waits for its turn; 0 for never
     */
    @Shipped
    public record JoinOut(int error, int process, int limitBytes, int thresholdBytes) {}
}

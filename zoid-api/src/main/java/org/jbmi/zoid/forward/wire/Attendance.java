package org.jbmi.zoid.forward.wire;

import org.jbmi.shipper.codec.Shipped;

import java.util.List;

/** The coming of a process: a call that is under way as long as it lives. */
public final class Attendance {
    private Attendance() {}

    /**
     * Who comes.
     *
     * @param key a random number that nobody else knows
     * @param rank its rank, -1 if it has none
     * @param size how many processes its job has, -1 if it has no rank
     * @param job which job, empty if it belongs to none
     * @param program what it runs, with its arguments
     */
    @Shipped
    public record In(long key, int rank, int size, String job, List<String> program) {}

    /**
     * The end of it, by the server.
     *
     * @param error 0, or why the process is not wanted
     */
    @Shipped
    public record Out(int error) {}

    /**
     * Asks who I am.
     *
     * @param key what was said at the coming
     */
    @Shipped
    public record JoinIn(long key) {}

    /**
     * Who a process is, and what holds for its calls.
     *
     * @param error 0, or why it is not wanted
     * @param process its number
     * @param limitBytes how large a request or a reply may be
     * @param thresholdBytes above which size a request waits for its turn; 0 for never
     */
    @Shipped
    public record JoinOut(int error, int process, int limitBytes, int thresholdBytes) {}
}

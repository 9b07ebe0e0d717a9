package org.jbmi.mempool;

/**
 * Whether a process still lives; a simulation replaces it. A process is identified by its id and
 * its start time, since the system reuses ids.
 */
public interface Liveness {

    /** The start time of a process if it is not known: then the id alone decides. */
    long START_UNKNOWN = 0;

    /**
     * Whether a process can still run. A process that has ended, and that its parent has not
     * collected yet, cannot.
     *
     * @param pid process id; 0 or less is no process
     * @param startTimeMs the result of {@link #startTimeMs} for it in any process of this host, or
     *     {@link #START_UNKNOWN}
     * @return false if that process is gone, as far as this process can see
     */
    boolean isAlive(long pid, long startTimeMs);

    /**
     * When a process started. The value tells two processes with the same id apart, even if the
     * wall clock is set meanwhile. It is no date: compare it for equality only.
     *
     * @param pid process id
     * @return milliseconds since a moment fixed for this run of the host, or {@link #START_UNKNOWN}
     */
    long startTimeMs(long pid);
}

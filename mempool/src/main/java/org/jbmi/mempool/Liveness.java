package org.jbmi.mempool;

/**
 * Whether a process still lives: a seam, so that deaths can be played. A process is named by its id
 * and its start time, since the system hands an id out again.
 */
public interface Liveness {

    /** Start time of a process of which it is not known: the id alone decides. */
    long START_UNKNOWN = 0;

    /**
     * Whether a process can still run. One that has ended and was not yet collected by its parent
     * cannot.
     *
     * @param pid process id; 0 or less is nobody
     * @param startTimeMs what {@link #startTimeMs} said of it in any process of this host, or
     *     {@link #START_UNKNOWN}
     * @return false only if that process is surely gone
     */
    boolean isAlive(long pid, long startTimeMs);

    /**
     * When a process started. The value tells two processes of one id apart, whatever the wall
     * clock does; it is only to be compared for being equal, and is not a date.
     *
     * @param pid process id
     * @return milliseconds since a moment fixed for this run of the host, or {@link #START_UNKNOWN}
     */
    long startTimeMs(long pid);
}

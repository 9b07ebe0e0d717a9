package org.jbmi.demo.worker;

/** A worker's end of the connection to the coordinator. Safe for use by any thread. */
public interface WorkerChannel {
    /**
     * Waits for the next command.
     *
     * @return the command; {@link WorkerCommand#QUIT} if the coordinator has gone
     */
    WorkerCommand next() throws InterruptedException;

    /**
     * {@return whether the worker must end, also in the middle of a transfer: after {@link
     * WorkerCommand#QUIT}, or if the coordinator has gone}
     */
    boolean isStopped();

    /** Reports an event. */
    void tell(WorkerEvent event);
}

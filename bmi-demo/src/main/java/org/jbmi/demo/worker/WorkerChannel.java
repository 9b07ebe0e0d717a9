package org.jbmi.demo.worker;

/** A worker's end of the connection to the coordinator. Safe for use by any thread. */
public interface WorkerChannel {
    /**
     * Waits for the next command.
     *
     * @return the command; {@link WorkerCommand#QUIT} when the coordinator is gone
     * @throws InterruptedException if the waiting thread is interrupted
     */
    WorkerCommand next() throws InterruptedException;

    /**
     * Whether the worker is to end, also in the middle of something.
     *
     * @return true after {@link WorkerCommand#QUIT} was given or the coordinator is gone
     */
    boolean isStopped();

    /**
     * Tells an event.
     *
     * @param event what happened
     */
    void tell(WorkerEvent event);
}

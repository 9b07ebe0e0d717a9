package org.jbmi.demo.worker;

/**
 * A part of the demo as the coordinator sees it. Its last event is always {@link
 * WorkerEvent.Kind#ENDED}.
 */
public interface Worker {
    /**
     * What it is called.
     *
     * @return for example {@code "client 2 (pid 4711)"}
     */
    String name();

    /**
     * Tells it to do something. Never waits.
     *
     * @param command what
     */
    void command(WorkerCommand command);

    /**
     * Waits for its end.
     *
     * @param timeoutMs the longest wait
     * @return true if it has ended
     * @throws InterruptedException if the waiting thread is interrupted
     */
    boolean awaitEnd(long timeoutMs) throws InterruptedException;

    /** Ends it by force, as far as that can be done. Does not wait. */
    void kill();
}

package org.jbmi.demo.worker;

/**
 * The coordinator's view of a part of the demo. Its last event is always {@link
 * WorkerEvent.Kind#ENDED}.
 */
public interface Worker {
    /** {@return its name, for example {@code "client 2 (pid 4711)"}} */
    String name();

    /** Sends it a command. Never waits. */
    void command(WorkerCommand command);

    /**
     * Waits for its end.
     *
     * @param timeoutMs the longest wait
     * @return true if it has ended
     */
    boolean awaitEnd(long timeoutMs) throws InterruptedException;

    /** Ends it by force, if possible. Does not wait. */
    void kill();
}

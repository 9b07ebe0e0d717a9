package org.jbmi.demo.worker;

/** What a worker does. */
@FunctionalInterface
public interface Role {
    /**
     * Works until it is told to end.
     *
     * @param channel the connection to the coordinator
     * @throws Exception if it cannot go on; its message is a sentence
     */
    void work(WorkerChannel channel) throws Exception;
}

package org.jbmi.demo.worker;

/** The work of a worker. */
@FunctionalInterface
public interface Role {
    /**
     * Works until the coordinator ends it.
     *
     * @throws Exception if it cannot go on; the message says why
     */
    void work(WorkerChannel channel) throws Exception;
}

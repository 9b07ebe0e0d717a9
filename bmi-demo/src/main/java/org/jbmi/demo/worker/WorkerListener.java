package org.jbmi.demo.worker;

/**
 * Takes the events of workers. Their threads call it; it must be quick, or block to slow them down.
 */
@FunctionalInterface
public interface WorkerListener {
    /** Takes an event. */
    void heard(Worker worker, WorkerEvent event);
}

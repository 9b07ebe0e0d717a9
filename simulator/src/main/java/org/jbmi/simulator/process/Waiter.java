package org.jbmi.simulator.process;

/** The state of the thread that waits in a program's test calls. */
public enum Waiter {
    /** No thread waits. */
    NONE,
    /** It polls. */
    AWAKE,
    /** It sleeps, without a frame on the stack. */
    ASLEEP,
    /** It sleeps in a frame on the stack. */
    IN_SLEEP
}

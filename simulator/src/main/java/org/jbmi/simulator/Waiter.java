package org.jbmi.simulator;

/** The state of the thread that waits in a program's test calls. */
enum Waiter {
    /** No thread waits. */
    NONE,
    /** It polls. */
    AWAKE,
    /** It sleeps, without a frame on the stack. */
    ASLEEP,
    /** It sleeps in a frame on the stack. */
    IN_SLEEP
}

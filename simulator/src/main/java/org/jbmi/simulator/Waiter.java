package org.jbmi.simulator;

/** How far the thread is that waits in a program's test calls. */
enum Waiter {
    /** Nobody waits. */
    NONE,
    /** It looks around. */
    AWAKE,
    /** It sleeps, and is nowhere on the stack. */
    ASLEEP,
    /** It sleeps in an action on the stack. */
    IN_SLEEP
}

package org.jbmi.simulator;

/** Something that a {@link SimSelector} looks at. */
interface SimReady {
    /** Which of the operations of a selection key would not wait now. */
    int readyOps();
}

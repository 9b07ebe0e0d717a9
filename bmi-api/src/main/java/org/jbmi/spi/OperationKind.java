package org.jbmi.spi;

/** What an operation does. */
public enum OperationKind {
    /** Sends an expected message. */
    SEND,
    /** Receives an expected message. */
    RECEIVE,
    /** Sends an unexpected message. */
    SEND_UNEXPECTED
}

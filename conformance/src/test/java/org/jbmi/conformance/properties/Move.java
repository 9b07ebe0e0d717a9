package org.jbmi.conformance.properties;

/** What a thread of a {@link ScriptThreads} does next. */
enum Move {
    SEND_UP,
    SEND_DOWN,
    RECEIVE_UP,
    RECEIVE_DOWN,
    CANCEL,
    ASK_CLIENT,
    ASK_SERVER
}

package org.jbmi.zoid;

/** The same messages with the engine in a daemon. */
class ShortMessagesThroughDaemonTest extends ShortMessagesTest {
    @Override
    String host() {
        return "daemon";
    }
}

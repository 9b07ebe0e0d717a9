package org.jbmi.demo;

import java.util.Locale;

/** The transport of a demo. */
public enum Through {
    /** The zoid method with the engine in the server, without a daemon; each part in a process. */
    EMBEDDED("zoid, without a daemon"),
    /** The zoid method and its daemon, each part in a process of its own. */
    DAEMON("zoid and its daemon"),
    /**
     * The same, with clients that reach the daemon through its gateway, on a Unix-domain socket.
     */
    SOCKET("zoid, the gateway of its daemon"),
    /** The tcp method on the loopback interface, each part in a process of its own. */
    TCP("tcp"),
    /** The loopback method, each part in a thread of one process. */
    LOOPBACK("loopback");

    private final String words;

    Through(String words) {
        this.words = words;
    }

    /** {@return its name in a sentence} */
    public String words() {
        return words;
    }

    /** Whether commands go to a daemon. */
    boolean hasDaemon() {
        return this == DAEMON || this == SOCKET;
    }

    /** Whether there is an engine, of which a journal can be kept. */
    boolean hasEngine() {
        return hasDaemon() || this == EMBEDDED;
    }

    /** The word on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

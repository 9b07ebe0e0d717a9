package org.jbmi.simulator.coverage;

/** A kind of fault in a simulated world. */
public enum FaultKind {
    /** A client's process ends, between two accesses of memory or between two steps. */
    CLIENT_CRASH("client crashes"),
    /** The server's process ends. */
    SERVER_CRASH("server crashes"),
    /** The daemon's process ends, and with it its segment. */
    DAEMON_CRASH("daemon crashes"),
    /** A client starts in place of one that has ended. */
    CLIENT_RESTART("client restarts"),
    /** A server starts again. */
    SERVER_RESTART("server restarts"),
    /** A daemon starts again. */
    DAEMON_RESTART("daemon restarts"),
    /** A socket breaks although both processes live. */
    SOCKET_CUT("socket cut"),
    /** A wake-up is lost. */
    LOST_WAKE("wake-up lost"),
    /** A process stands still while all others run. */
    DELAY("process stopped"),
    /** The host stands still for longer than every time-out, while all peers post and cancel. */
    HOST_STANDS("host stands"),
    /** A process holds all memory of a pool, or all messages. */
    NO_MEMORY("memory scarce"),
    /** The clock leaps. */
    TIME_JUMP("time jumps"),
    /** A process writes garbage where it may write, and ends. */
    GARBAGE("garbage"),
    /** The connection of a remote client is lost although both sides live. */
    LINK_CUT("link cut"),
    /** Bytes of such a connection arrive late. */
    LINK_DELAY("link stands"),
    /** A remote client sends garbage, or its bytes are damaged, and it ends. */
    LINK_GARBAGE("link garbage"),
    /** A remote client finds no process at the gateway's address. */
    DIAL_REFUSED("dial refused"),
    /** It finds a full queue or gets no answer, for a while or for ever. */
    DIAL_STANDS("dial stands"),
    /** It finds another program there. */
    DIAL_ASTRAY("dial astray"),
    /** An object of the library finds a full heap, see {@code FullHeap}. */
    HEAP_FULL("heap full");

    private final String label;

    FaultKind(String label) {
        this.label = label;
    }

    /** {@return a few words for tables} */
    public String label() {
        return label;
    }
}

package org.jbmi.simulator.coverage;

/** What goes wrong in a simulated world. */
public enum FaultKind {
    /** A client's process ends, between two accesses of memory or between two steps. */
    CLIENT_CRASH("client crashes"),
    /** The server's process ends. */
    SERVER_CRASH("server crashes"),
    /** The daemon's process ends, and with it its segment. */
    DAEMON_CRASH("daemon crashes"),
    /** A client comes again in the place of one that was there. */
    CLIENT_RESTART("client restarts"),
    /** A server comes again. */
    SERVER_RESTART("server restarts"),
    /** A daemon comes again. */
    DAEMON_RESTART("daemon restarts"),
    /** A socket breaks although both processes live. */
    SOCKET_CUT("socket cut"),
    /** A wake-up does not arrive. */
    LOST_WAKE("wake-up lost"),
    /** A process stands still while all others run. */
    DELAY("process stopped"),
    /** The host stands still for longer than every time-out, and everybody talks to it. */
    HOST_STANDS("host stands"),
    /** Somebody holds all memory of a pool, or all messages. */
    NO_MEMORY("memory scarce"),
    /** The clock leaps. */
    TIME_JUMP("time jumps"),
    /** A process writes nonsense where it may write, and ends. */
    GARBAGE("garbage"),
    /** The connection of a remote client is lost although both sides live. */
    LINK_CUT("link cut"),
    /** What goes over such a connection arrives late. */
    LINK_DELAY("link stands"),
    /** A remote client sends nonsense, or what it sent was nonsense, and it ends. */
    LINK_GARBAGE("link garbage"),
    /** A remote client finds nobody where the gateway is. */
    DIAL_REFUSED("dial refused"),
    /** It finds no room to be taken, or no answer, for a while or for good. */
    DIAL_STANDS("dial stands"),
    /** It finds somebody else there. */
    DIAL_ASTRAY("dial astray"),
    /** An object that the library makes has no room in the heap, as {@code FullHeap} says. */
    HEAP_FULL("heap full");

    private final String label;

    FaultKind(String label) {
        this.label = label;
    }

    /**
     * For tables.
     *
     * @return a word or three
     */
    public String label() {
        return label;
    }
}

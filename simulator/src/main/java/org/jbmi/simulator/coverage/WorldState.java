package org.jbmi.simulator.coverage;

/** What may be the case when something goes wrong. Several are at a time. */
public enum WorldState {
    /** Nothing is pending anywhere. */
    IDLE("idle"),
    /** A client is inside a call that is not answered. */
    CLIENT_IN_CALL("client in call"),
    /** The server is. */
    SERVER_IN_CALL("server in call"),
    /** A client's long send is pending. */
    SEND_PENDING("long send"),
    /** A client's short send is pending. */
    EAGER_PENDING("eager send"),
    /** A client's receive is pending. */
    RECEIVE_PENDING("receive"),
    /** A client's unexpected message is pending. */
    UNEXPECTED_PENDING("unexpected"),
    /** Something is granted. */
    GRANTED("granted"),
    /** Bytes are half copied. */
    MOVING("moving"),
    /** The server has something pending. */
    SERVER_PENDING("server op"),
    /** The server has something pending that the engine does not know. */
    SERVER_UNSENT("server queue"),
    /** The server holds an unexpected message. */
    LENT("lent"),
    /** A peer sleeps. */
    PEER_ASLEEP("peer asleep"),
    /** The engine sleeps. */
    ENGINE_ASLEEP("engine asleep"),
    /** Somebody is gone of whom it is not proved. */
    QUARANTINE("quarantine"),
    /** No server is there. */
    NO_SERVER("no server"),
    /** Bytes are under way between a remote client and the gateway. */
    LINK_LOADED("on the link"),
    /** Such a connection takes no more bytes. */
    LINK_FULL("link full"),
    /** The gateway is in the middle of a turn. */
    GATEWAY_BUSY("gateway's turn"),
    /** The gateway sleeps. */
    GATEWAY_ASLEEP("gateway asleep"),
    /** A remote client looks for the gateway, or shakes hands with it. */
    DIALLING("dialling"),
    /** A remote client has no room for another message. */
    FRAMES_FULL("frames full");

    private final String label;

    WorldState(String label) {
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

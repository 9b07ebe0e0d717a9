package org.jbmi.simulator.coverage;

/** A state of the world when a fault happens. Several may hold at once. */
public enum WorldState {
    /** Nothing is pending anywhere. */
    IDLE("idle"),
    /** A client is inside a call that is not answered. */
    CLIENT_IN_CALL("client in call"),
    /** The server is inside such a call. */
    SERVER_IN_CALL("server in call"),
    /** A client's long send is pending. */
    SEND_PENDING("long send"),
    /** A client's short send is pending. */
    EAGER_PENDING("eager send"),
    /** A client's receive is pending. */
    RECEIVE_PENDING("receive"),
    /** A client's unexpected message is pending. */
    UNEXPECTED_PENDING("unexpected"),
    /** An operation is granted. */
    GRANTED("granted"),
    /** Bytes are half copied. */
    MOVING("moving"),
    /** An operation of the server is pending. */
    SERVER_PENDING("server op"),
    /** An operation of the server is pending that the engine does not know. */
    SERVER_UNSENT("server queue"),
    /** The server holds an unexpected message. */
    LENT("lent"),
    /** A peer sleeps. */
    PEER_ASLEEP("peer asleep"),
    /** The engine sleeps. */
    ENGINE_ASLEEP("engine asleep"),
    /** A session is in quarantine. */
    QUARANTINE("quarantine"),
    /** There is no server. */
    NO_SERVER("no server"),
    /** Bytes are under way between a remote client and the gateway. */
    LINK_LOADED("on the link"),
    /** Such a connection takes no more bytes. */
    LINK_FULL("link full"),
    /** The gateway is in the middle of a turn. */
    GATEWAY_BUSY("gateway's turn"),
    /** The gateway sleeps. */
    GATEWAY_ASLEEP("gateway asleep"),
    /** A remote client connects to the gateway, or is in its handshake. */
    DIALLING("dialling"),
    /** A remote client has no room for another message. */
    FRAMES_FULL("frames full");

    private final String label;

    WorldState(String label) {
        this.label = label;
    }

    /** {@return a few words for tables} */
    public String label() {
        return label;
    }
}

package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.protocol.ClientRequests;

/** An operation as its simulated owner knows it. */
final class SimOp {
    enum Kind {
        SEND,
        RECEIVE,
        UNEXPECTED
    }

    enum State {
        /** Its call is not answered. */
        POSTING,
        PENDING,
        /** A client's whose grant is claimed. */
        MOVING,
        /** Its outcome has been reported, or its owner is dead. */
        OVER
    }

    final long uid;
    final boolean ofServer;
    final Kind kind;
    final int client;
    final int clientLife;
    final int tag;
    final long bytes;
    State state = State.POSTING;
    long engineId;
    long offset;
    int eagerSlot = ClientRequests.NOT_EAGER;
    long eagerSequence;
    int reports;
    int code;
    boolean isDelivered;

    /** A server's: said by the engine to be over, so nobody may touch its block any more. */
    boolean isUntouchable;

    /** A client's: what to report in the end although the transfer goes on. */
    int doomedWith;

    /** A client's that moves: the grant. */
    long grantId;

    long grantBytes;
    boolean hasMoved;

    SimOp(long uid, boolean ofServer, Kind kind, int client, int clientLife, int tag, long bytes) {
        this.uid = uid;
        this.ofServer = ofServer;
        this.kind = kind;
        this.client = client;
        this.clientLife = clientLife;
        this.tag = tag;
        this.bytes = bytes;
    }

    boolean isEager() {
        return eagerSlot >= 0;
    }

    /** A client's receive that moves: whether what it was granted is longer than itself. */
    boolean isTooSmall() {
        return kind == Kind.RECEIVE && grantBytes > bytes;
    }

    void report(int outcome) {
        assertThat(++reports).as("%s is reported once", this).isEqualTo(1);
        assertThat(state).isNotEqualTo(State.OVER);
        state = State.OVER;
        code = outcome;
    }

    /** Its owner is gone: nobody will report it. */
    void abandon() {
        state = State.OVER;
    }

    @Override
    public String toString() {
        return (ofServer ? "server's " : "client " + client + "'s ") + kind + " " + uid;
    }
}

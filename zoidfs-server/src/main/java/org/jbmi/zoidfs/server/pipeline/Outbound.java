package org.jbmi.zoidfs.server.pipeline;

import org.jspecify.annotations.Nullable;

/** A slot of the ring to the posting stage. */
final class Outbound {
    /** What to post. */
    enum Kind {
        /** Send a message of data. */
        SEND,
        /** Receive one. */
        RECEIVE,
        /** Send the reply. */
        REPLY
    }

    Kind kind = Kind.REPLY;
    @Nullable Call call;
    @Nullable DataMove move;
    byte @Nullable [] reply;

    Outbound() {}

    void clear() {
        call = null;
        move = null;
        reply = null;
    }
}

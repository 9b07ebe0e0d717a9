package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.BmiException;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jspecify.annotations.Nullable;

/** Gets sessions of the engine for remote clients while the gateway runs on. */
interface ClientAttacher {
    /**
     * The result for one client.
     *
     * @param client the client
     * @param attachment the session, or null
     * @param refusal why there is none, or null
     */
    record Result(
            RemoteClient client,
            @Nullable PeerAttachment attachment,
            @Nullable BmiException refusal) {}

    /** Starts to attach one; false if too many wait. */
    boolean start(RemoteClient client);

    /** The next one that is ready, or null. */
    @Nullable Result poll();
}

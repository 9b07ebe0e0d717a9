package org.jbmi.zbmi.daemon;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.protocol.handshake.PeerRole;

/** How a client of this machine asks a daemon for a session. */
public final class ClientRequest {
    private ClientRequest() {}

    /** A request that waits for an answer for that long. */
    public static AttachRequest of(ZbmiDaemon daemon, long answerNs) {
        return new AttachRequest(
                daemon.directory().socket(),
                PeerRole.CLIENT,
                "shm",
                answerNs,
                new FutexWaiting(),
                NanoClock.SYSTEM,
                new ProcessLiveness());
    }
}

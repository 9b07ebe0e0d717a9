package org.jbmi.zbmi.link;

import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.protocol.PeerRole;

import java.nio.file.Path;

/**
 * How to reach a daemon, and by which seams to live after.
 *
 * @param socket the daemon's Unix-domain socket
 * @param role what to ask for
 * @param transport name of the command channel or link to ask for
 * @param timeoutNs longest time for connecting and the handshake together
 * @param waiting how to sleep and wake
 * @param clock for timeouts
 * @param liveness says when this process started
 */
public record AttachRequest(
        Path socket,
        PeerRole role,
        String transport,
        long timeoutNs,
        Waiting waiting,
        NanoClock clock,
        Liveness liveness) {}

package org.jbmi.zbmi.protocol.handshake;

import org.jbmi.zbmi.protocol.SegmentGeometry;

/**
 * The host's consent, and all a peer must know.
 *
 * @param session the session it has got: 0 for the server
 * @param generation the life of that session, part of every stamp in its lanes; not 0
 * @param host in which process the engine runs
 * @param daemonPid the process of the host
 * @param daemonStartMs when that process started, in {@code Liveness}' terms
 * @param segmentPath the file to map
 * @param segmentGeneration what the file's own header must say
 * @param geometry how it is laid out
 * @param limits sizes that the engine accepts
 */
public record Welcome(
        int session,
        int generation,
        HostKind host,
        long daemonPid,
        long daemonStartMs,
        String segmentPath,
        long segmentGeneration,
        SegmentGeometry geometry,
        SessionLimits limits)
        implements HandshakeFrame {}

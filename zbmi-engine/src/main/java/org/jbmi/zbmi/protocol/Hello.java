package org.jbmi.zbmi.protocol;

/**
 * The first frame, from the peer.
 *
 * @param role what it wants to be
 * @param pid its process; the daemon believes the socket rather than this, where the socket says it
 * @param processStartMs when that process started, in {@code Liveness}' terms
 * @param transport the command channel (server) or the link (client) that it asks for, up to 64
 *     bytes
 */
public record Hello(PeerRole role, long pid, long processStartMs, String transport)
        implements HandshakeFrame {}

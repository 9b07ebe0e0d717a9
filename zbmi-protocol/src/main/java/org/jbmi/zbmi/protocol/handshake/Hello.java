package org.jbmi.zbmi.protocol.handshake;

/**
 * The first frame, from the peer.
 *
 * @param role the role it asks for
 * @param pid its process; the host prefers the pid that the system gives for the socket, if it does
 * @param processStartMs when that process started, in {@code Liveness}' terms
 * @param transport the command channel (server) or the link (client) that it asks for, up to 64
 *     bytes
 */
public record Hello(PeerRole role, long pid, long processStartMs, String transport)
        implements HandshakeFrame {}

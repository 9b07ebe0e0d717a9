/**
 * Peers and their connections: sending, receiving, connecting, ending. All parts share the state
 * and the lock of {@link org.jbmi.tcp.peer.TcpState}.
 */
@NullMarked
package org.jbmi.tcp.peer;

import org.jspecify.annotations.NullMarked;

/**
 * Peers and their connections: what is sent, what arrives, how they begin and end. All parts share
 * the state and the lock of {@link org.jbmi.tcp.peer.TcpState}.
 */
@NullMarked
package org.jbmi.tcp.peer;

import org.jspecify.annotations.NullMarked;

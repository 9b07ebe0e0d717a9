package org.jbmi.tcp.peer;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * An attempt to connect to a peer: resolves its name, then tries one address after the other.
 * Guarded by the lock.
 */
final class Dial {
    final TcpPeer peer;

    /** The addresses, in order. */
    final List<InetSocketAddress> targets = new ArrayList<>();

    int next;

    /** How many source ports the present address was tried from in vain. */
    int portsTried;

    boolean over;

    /** The error of the last address, or of the whole. */
    int error;

    long deadlineNs;

    /** The connection that is being made; null once it is connected or given up. */
    @Nullable Connection current;

    Dial(TcpPeer peer) {
        this.peer = peer;
    }
}

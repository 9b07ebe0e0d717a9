package org.jbmi.tcp.peer;

import org.jbmi.spi.MatchTable;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.OperationQueue;
import org.jbmi.tcp.address.TcpEndpoint;
import org.jbmi.tcp.memory.PeerAccount;
import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A peer: one that was looked up, which is connected to when something is sent, or one that
 * connected to us, which ends with its connection. Everything that is not final is guarded by the
 * method's lock unless it says otherwise.
 */
final class TcpPeer extends MethodAddress {
    /** What it was looked up with; empty for one that connected to us. */
    final List<TcpEndpoint> endpoints;

    /** The string it was looked up with, or the numeric address it came from. */
    final String name;

    /** Its receives that wait for messages, and its messages that wait for receives. */
    final MatchTable table = new MatchTable();

    /** Sends of which nothing was written. */
    final OperationQueue sends = new OperationQueue();

    /** All connections that bring messages of it, the one for sends included. */
    final List<Connection> connections = new ArrayList<>(1);

    /** How much of the method's memory it holds. */
    final PeerAccount account = new PeerAccount();

    /** Where sends go; may still be connecting. */
    @Nullable Connection out;

    /** Whether somebody is resolving or opening a connection for it. */
    boolean dialing;

    /** The hash of the string it was looked up with, or that it sent; 0 for none. */
    int hash;

    /** The directory's count of servers that named themselves when it was asked last. */
    int seenInboundChanges;

    /** Why nothing can be sent to it any more; 0 if it can. */
    int failure;

    /** Whether the core was told that it failed. */
    boolean failureTold;

    /** Whole messages of it in the table. */
    int earlyCount;

    /** When whole messages of a failed peer are given up. */
    long lingerUntilNs;

    /** Its address as far as it is known, for ranges and for the check of servers. */
    volatile @Nullable InetAddress remote;

    /** All addresses that its name resolved to at last. */
    volatile List<InetAddress> resolved = List.of();

    /** Whether its name was looked for, with or without success. */
    volatile boolean resolvedOnce;

    /** The looked-up peer that it turned out to be. */
    @Nullable TcpPeer successor;

    TcpPeer(List<TcpEndpoint> endpoints, String name, int hash) {
        this.endpoints = endpoints;
        this.name = name;
        this.hash = hash;
    }

    boolean isLookedUp() {
        return !endpoints.isEmpty();
    }

    /** The peer that stands for this one now. */
    TcpPeer target() {
        TcpPeer target = this;
        for (TcpPeer next = successor; next != null; next = next.successor) {
            target = next;
        }
        return target;
    }

    @Override
    public String displayName() {
        return name;
    }

    @Override
    public String toString() {
        return "tcp peer " + name;
    }
}

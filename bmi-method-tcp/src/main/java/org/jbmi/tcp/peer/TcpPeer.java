package org.jbmi.tcp.peer;

import org.jbmi.spi.HashMaps;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.MatchTable;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.tcp.address.TcpEndpoint;
import org.jbmi.tcp.memory.PeerAccount;
import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A peer that was looked up, or that connected to this instance. tcp connects to the first kind at
 * the first send; the second kind ends with its connection. The method's lock guards all fields
 * that are not final, unless a comment says otherwise.
 */
final class TcpPeer extends MethodAddress {
    /** The elements of the look-up; empty for a peer that connected to us. */
    final List<TcpEndpoint> endpoints;

    /** The string of the look-up, or the numeric address of a peer that connected to us. */
    final String name;

    /** Its receives that wait for messages, and its messages that wait for receives. */
    final MatchTable table = new MatchTable();

    /** Sends of which no byte was written. */
    final IntrusiveList<Operation> sends = new IntrusiveList<>();

    /** All connections that bring its messages, including the one for sends. */
    final ArrayList<Connection> connections = new ArrayList<>(1);

    /** How much of the method's memory it holds. */
    final PeerAccount account = new PeerAccount();

    /** The connection for sends; may still be connecting. */
    @Nullable Connection out;

    /** Whether a thread resolves its name or connects to it. */
    boolean dialing;

    /** The hash of the string of the look-up, or the hash that it sent; 0 for none. */
    int hash;

    /** The same as a key of maps, kept since a peer must leave them also with a full heap. */
    Integer hashKey;

    /**
     * Whether its name was looked up when its first header came, so that sends to that name have a
     * connection of their own.
     */
    boolean receivesOnly;

    /** The directory's count of servers that sent a hash, at the last check. */
    int seenInboundChanges;

    /** Why nothing can be sent to it any more; 0 if sending works. */
    int failure;

    /** Its complete messages in the table. */
    int earlyCount;

    /** When complete messages of a peer that has gone are dropped. */
    long lingerUntilNs;

    /** Its address as far as it is known, for ranges and for the check of hashes. */
    volatile @Nullable InetAddress remote;

    /** What to call when the resolution of its name ends; null if none runs. */
    @Nullable List<Consumer<Names.Found>> askers;

    /** Whether the directory waits for that resolution. */
    boolean isNameAsked;

    /** The addresses in its look-up, and those of its names at the last good resolution. */
    volatile List<InetAddress> resolved = List.of();

    /** The addresses of each of its names at the last good resolution of that name. */
    final Map<TcpEndpoint, List<InetAddress>> resolvedByEndpoint =
            HashMaps.prepared(new HashMap<>(1));

    /** Whether its name was resolved, with or without success. */
    volatile boolean resolvedOnce;

    /** Whether its merge into a looked-up peer waits until its sends have left. */
    boolean awaitsMerge;

    /** The looked-up peer into which this one was merged. */
    @Nullable TcpPeer successor;

    TcpPeer(List<TcpEndpoint> endpoints, String name, int hash) {
        this.endpoints = endpoints;
        this.name = name;
        this.hash = hash;
        this.hashKey = hash;
    }

    boolean isLookedUp() {
        return !endpoints.isEmpty();
    }

    /** This peer, or the one into which it was merged. */
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

package org.jbmi.tcp.peer;

import org.jbmi.spi.Failures;
import org.jbmi.spi.HashMaps;
import org.jbmi.spi.MatchTable;
import org.jbmi.spi.Operation;
import org.jbmi.tcp.address.TcpAddressGrammar;
import org.jbmi.tcp.address.TcpEndpoint;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.tcp.wire.SourceHash;
import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Keeps the looked-up peers, and finds the peer to which a connection from a server belongs. A
 * server sends the hash of its name in its headers. A connection with the hash of a looked-up
 * address brings messages of that peer. If the look-up came later, this instance also sends over
 * it. The hash is a hint and no proof: the connection must come from one of the peer's addresses.
 * The method's lock guards the maps.
 */
final class Directory {
    private final TcpState state;
    private final boolean hasHashes;
    private final Map<String, TcpPeer> byString = HashMaps.prepared(new HashMap<>());
    private final Map<Integer, List<TcpPeer>> byHash = HashMaps.prepared(new HashMap<>());
    private final Map<Integer, List<TcpPeer>> inboundByHash = HashMaps.prepared(new HashMap<>());
    private long changes;

    /** Grows when receives may find more: a server that connected to us sends its hash, say. */
    private int inboundChanges;

    private volatile long version;
    private final Names names;

    // Made beforehand: a merge that has begun needs no memory.
    private final Predicate<Operation> addEntry = this::addEntry;
    private final Predicate<Operation> isAny = Directory::isAny;
    private final Predicate<Operation> isNone = Directory::isNone;
    private final Consumer<Operation> move = this::move;

    /** The peer that operations are merged into now; guarded by the lock. */
    private @Nullable TcpPeer mergeTarget;

    /** The first failure of a match in that merge; guarded by the lock. */
    private @Nullable Throwable mergeFailure;

    Directory(TcpState state, Names names) {
        this.state = state;
        this.names = names;
        names.whenChanged(this::addressesChanged);
        this.hasHashes = state.settings.dialect.hasClasses();
    }

    /** Grows when a connection may be of another peer than before: after a look-up, say. */
    long version() {
        return version;
    }

    /** A peer has new addresses, from which its connections may come. */
    private void addressesChanged() {
        version = ++changes;
        inboundChanges++;
    }

    TcpPeer lookup(String address) {
        TcpSettings settings = state.settings;
        List<TcpEndpoint> endpoints =
                TcpAddressGrammar.parse(address, settings.dialect, settings.zone);
        synchronized (state.lock) {
            TcpPeer known = byString.get(address);
            if (known != null) {
                return known;
            }
            TcpPeer peer = new TcpPeer(endpoints, address, SourceHash.of(address));
            List<InetAddress> numeric = new ArrayList<>();
            for (TcpEndpoint endpoint : endpoints) {
                InetAddress literal = endpoint.numeric();
                if (literal != null) {
                    numeric.add(literal);
                }
            }
            peer.resolved = List.copyOf(numeric);
            if (endpoints.size() == 1 && numeric.size() == 1) {
                peer.remote = numeric.getFirst();
            }
            boolean isAdded = false;
            try {
                byString.put(address, peer);
                if (hasHashes) {
                    byHash.computeIfAbsent(peer.hash, h -> new ArrayList<>(1)).add(peer);
                    version = ++changes;
                }
                isAdded = true;
            } finally {
                if (!isAdded) { // no memory for a longer table
                    byString.remove(address, peer);
                }
            }
            return peer;
        }
    }

    /** Visits all looked-up peers, with their names, and allocates nothing; under the lock. */
    void forEachLookedUp(BiConsumer<String, TcpPeer> visitor) {
        byString.forEach(visitor);
    }

    /** Removes a looked-up peer, and allocates nothing; under the lock. */
    void forget(TcpPeer peer) {
        byString.remove(peer.name, peer);
        removeFrom(byHash, peer);
        removeFrom(inboundByHash, peer);
        version = ++changes;
    }

    /** Removes a looked-up peer that the program dropped, once it has no connection. */
    boolean forgetIfIdle(TcpPeer peer) {
        boolean isIdle = peer.handle() == null && peer.connections.isEmpty() && !peer.dialing;
        if (isIdle) {
            forget(peer);
        }
        return isIdle;
    }

    /** Removes a peer that connected to us and has gone; allocates nothing. Under the lock. */
    void forgetInbound(TcpPeer peer) {
        if (peer.hash != 0) {
            removeFrom(inboundByHash, peer);
        }
    }

    private static void removeFrom(Map<Integer, List<TcpPeer>> map, TcpPeer peer) {
        List<TcpPeer> peers = map.get(peer.hashKey);
        if (peers != null) {
            peers.remove(peer);
            if (peers.isEmpty()) {
                map.remove(peer.hashKey);
            }
        }
    }

    /**
     * The peer to use for sends to a peer; a connection that it made to us before the look-up is
     * used too. Under the lock.
     */
    TcpPeer targetForSend(TcpPeer given) {
        TcpPeer peer = given.target();
        if (hasHashes && peer.out == null && peer.isLookedUp() && !peer.dialing) {
            adoptInbound(peer, true);
        }
        return peer;
    }

    /**
     * The peer to use for receives from a peer; messages that it sent us before the look-up belong
     * to it too. Under the lock.
     */
    TcpPeer targetForReceive(TcpPeer given) {
        TcpPeer peer = given.target();
        if (peer.seenInboundChanges != inboundChanges && peer.isLookedUp()) {
            int seen = inboundChanges;
            boolean named = inboundByHash.containsKey(peer.hash) && isUnresolved(peer);
            if (named ? resolve(peer) : adoptInbound(peer, true)) {
                peer.seenInboundChanges = seen;
            }
        }
        return peer;
    }

    /** Returns false if a merge must wait until sends have left. */
    @SuppressWarnings("ReferenceEquality") // this very peer
    private boolean adoptInbound(TcpPeer peer, boolean forSends) {
        boolean isDecided = true;
        List<TcpPeer> inbound = inboundByHash.get(peer.hash);
        if (inbound != null && onlyOne(byHash.get(peer.hash)) == peer) {
            for (TcpPeer other : List.copyOf(inbound)) {
                isDecided &= adopt(other, peer, forSends || !other.receivesOnly);
            }
        }
        return isDecided;
    }

    /**
     * Finds the peer of a connection that sent a hash.
     *
     * @return false if that must wait until a name is resolved
     */
    boolean identify(Connection connection, int hash) {
        Incoming incoming = connection.incoming;
        synchronized (state.lock) {
            TcpPeer peer = connection.peer;
            boolean isFirst = peer.hash == 0;
            if (isFirst) {
                peer.hashKey = hash; // first: it may run out of memory
                peer.hash = hash;
                inboundByHash.computeIfAbsent(hash, h -> new ArrayList<>(1)).add(peer);
                inboundChanges++;
            }
            long seen = version;
            TcpPeer lookedUp = onlyOne(byHash.get(peer.hash));
            if (lookedUp == null) {
                incoming.identifiedVersion = seen;
                return true;
            }
            if (lookedUp.handle() == null) {
                return true; // the program has not looked it up yet; the next header checks again
            }
            peer.receivesOnly |= isFirst;
            if (isUnresolved(lookedUp)) {
                if (!incoming.isNameLate) {
                    incoming.beginsToAwaitName();
                    return !resolve(lookedUp);
                }
                incoming.identifiedVersion = seen;
                return true;
            }
            if (adopt(peer, lookedUp, !peer.receivesOnly)) {
                incoming.identifiedVersion = seen; // otherwise the next header tries again
            }
            return true;
        }
    }

    /**
     * The sends of a peer for which its merge has waited have left. Without memory the merge waits
     * for the next write, header or receive. Under the lock.
     */
    void sendsHaveLeft(TcpPeer inbound) {
        try {
            TcpPeer lookedUp = onlyOne(byHash.get(inbound.hashKey));
            if (lookedUp != null && lookedUp.handle() != null) {
                adopt(inbound, lookedUp, true); // if its own connection has ended, they go on here
            }
        } catch (OutOfMemoryError e) {
            if (!inbound.awaitsMerge) {
                throw e; // they are merged, and a match has failed
            }
        }
    }

    /**
     * Resolves the name of a looked-up peer, because a connection has its hash. However many such
     * connections there are, the resolution has one asker for them. Under the lock.
     *
     * @return false if it cannot be done now, so that the connection stays a peer of its own
     */
    private boolean resolve(TcpPeer peer) {
        if (!peer.isNameAsked) {
            peer.isNameAsked = names.resolve(peer, found -> resolved(peer));
        }
        return peer.isNameAsked;
    }

    /** The connections that sent the hash of a peer can be identified now. */
    private void resolved(TcpPeer peer) {
        synchronized (state.lock) {
            peer.isNameAsked = false;
            for (Connection connection : state.connections) {
                if (connection.incoming.awaitsNameSinceNs != 0
                        && connection.peer.hash == peer.hash) {
                    state.attend(connection);
                }
            }
            adoptInbound(peer, false);
        }
    }

    private boolean isUnresolved(TcpPeer peer) {
        return state.settings.verifyServers
                && !peer.resolvedOnce
                && !peer.endpoints.stream().allMatch(TcpEndpoint::isNumeric);
    }

    private static @Nullable TcpPeer onlyOne(@Nullable List<TcpPeer> peers) {
        return peers == null || peers.size() != 1 ? null : peers.getFirst();
    }

    /**
     * Merges a peer that connected to us into the looked-up peer, if they are the same. Under the
     * lock.
     *
     * @return false if they are, but sends of the first are under way. Sends of the merged peer
     *     would leave over another connection and overtake them
     */
    private boolean adopt(TcpPeer inbound, TcpPeer lookedUp, boolean forSends) {
        if (inbound.failure != 0 || !isVerified(inbound, lookedUp)) {
            inbound.awaitsMerge = false;
            return true;
        }
        Connection carrier = inbound.out;
        boolean isBusy = carrier != null && isBusy(inbound, carrier);
        boolean carries = lookedUp.out == null && !lookedUp.dialing;
        if (isBusy && !carries) {
            inbound.awaitsMerge = true;
            return false;
        }
        prepareMerge(inbound, lookedUp);
        removeFrom(inboundByHash, inbound); // from here on nothing allocates
        inbound.awaitsMerge = false;
        inbound.successor = lookedUp;
        for (int i = 0; i < inbound.connections.size(); i++) {
            Connection connection = inbound.connections.get(i);
            connection.peer = lookedUp;
            lookedUp.connections.add(connection);
        }
        inbound.connections.clear();
        inbound.out = null;
        if (carrier != null && carries && (forSends || isBusy)) {
            lookedUp.out = carrier;
        }
        for (Operation send = inbound.sends.poll(); send != null; send = inbound.sends.poll()) {
            lookedUp.sends.addLast(send);
        }
        moveTable(inbound, lookedUp);
        return true;
    }

    /**
     * Takes the steps of a merge that may find no memory. If one fails, the two peers stay as they
     * are, and a later call merges them.
     */
    private void prepareMerge(TcpPeer inbound, TcpPeer lookedUp) {
        // The receive of a parked message may have waited at the other peer. The lead looks at it
        // after the merge, for which the caller has the lock.
        attendParked(inbound);
        attendParked(lookedUp);
        lookedUp.connections.ensureCapacity(
                lookedUp.connections.size() + inbound.connections.size());
        mergeTarget = lookedUp;
        boolean isReady = false;
        try {
            inbound.table.drain(addEntry, move);
            isReady = true;
        } finally {
            if (!isReady) {
                recycleEmpty(lookedUp);
                mergeTarget = null;
            }
        }
    }

    private void attendParked(TcpPeer peer) {
        for (int i = 0; i < peer.connections.size(); i++) {
            if (peer.connections.get(i).parkedExpected) {
                state.attend(peer.connections.get(i));
            }
        }
    }

    /** Adds the entry for an operation that is merged later, and takes none. */
    private boolean addEntry(Operation operation) {
        mergeTarget().table.findOrAdd(0, operation.tag());
        return false;
    }

    private static boolean isAny(Operation operation) {
        return true;
    }

    private static boolean isNone(Operation operation) {
        return false;
    }

    /** Removes entries for operations that did not come. */
    private void recycleEmpty(TcpPeer peer) {
        peer.table.drain(isNone, move);
    }

    /** Whether any bytes of a peer's sends wait or are being written. */
    private static boolean isBusy(TcpPeer peer, Connection carrier) {
        return !peer.sends.isEmpty()
                || !carrier.started.isEmpty()
                || carrier.writing
                || carrier.blocked;
    }

    private void moveTable(TcpPeer inbound, TcpPeer lookedUp) {
        lookedUp.earlyCount += inbound.earlyCount;
        inbound.earlyCount = 0;
        mergeFailure = null;
        inbound.table.drain(isAny, move);
        recycleEmpty(lookedUp);
        Throwable failure = mergeFailure;
        mergeFailure = null;
        mergeTarget = null;
        Failures.rethrow(failure);
    }

    /**
     * Moves an operation to the peer that it is merged into. The others follow even if its match
     * fails.
     */
    private void move(Operation operation) {
        try {
            TcpPeer peer = mergeTarget();
            // The entry is there, so this allocates nothing.
            MatchTable.Entry entry = peer.table.findOrAdd(0, operation.tag());
            boolean isMessage = operation instanceof EarlyMessage;
            (isMessage ? entry.sends() : entry.receives()).addLast(operation);
            Operation receive = Operation.firstLive(entry.receives());
            if (receive != null && entry.sends().poll() instanceof EarlyMessage message) {
                entry.receives().remove(receive);
                match(peer, message, receive);
            }
        } catch (RuntimeException | Error e) {
            mergeFailure = Failures.first(mergeFailure, e);
        }
    }

    /**
     * Matches a receive that was posted for one of the merged peers with a message of the other.
     */
    private void match(TcpPeer peer, EarlyMessage message, Operation receive) {
        peer.earlyCount--;
        if (message.sizeBytes() <= receive.sizeBytes()) {
            state.deliver(message, receive);
            return;
        }
        try {
            state.complete(receive, TcpCodes.EMSGSIZE, 0);
        } finally {
            state.freeEarly(message);
        }
    }

    private TcpPeer mergeTarget() {
        return Objects.requireNonNull(mergeTarget, "no peers are merged");
    }

    private boolean isVerified(TcpPeer inbound, TcpPeer lookedUp) {
        InetAddress from = inbound.remote;
        if (!state.settings.verifyServers) {
            return true;
        }
        if (from == null || lookedUp.resolved.contains(from)) {
            return from != null;
        }
        // A name of this host may mean another loopback address than the one used.
        return from.isLoopbackAddress()
                && lookedUp.resolved.stream().anyMatch(InetAddress::isLoopbackAddress);
    }
}

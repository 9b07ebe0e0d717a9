package org.jbmi.simulator;

import org.jbmi.ErrorCode;
import org.jbmi.simulator.coverage.Rule;
import org.jbmi.simulator.queue.SimCarrier;
import org.jbmi.zoid.common.ZoidAddress;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The end of a simulated run. All operations settle, no process waits for an event that cannot
 * come, all processes end, and the counters are right.
 */
final class Ending {
    private static final int ROUNDS = 4;
    private static final int MOST_TURNS = 50_000;
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();

    private final World world;

    Ending(World world) {
        this.world = world;
    }

    void end() {
        world.isPosting = false;
        world.wakes.loseNone();
        world.passNs(10_000_000_000L); // longer than a lost wake-up delays
        for (SimHosting host : List.of(world.daemon, world.door())) {
            host.stoppedUntilStep = 0;
            host.crashIn = 0;
            host.heapHasRoom();
        }
        SimCarrier carrier = world.carriers().of(world.daemon);
        if (carrier != null) {
            carrier.recover();
        }
        SimGateway gateway = world.gatewayOrNull();
        if (gateway != null) {
            gateway.stoppedUntilStep = 0;
            gateway.crashIn = 0;
        }
        for (SimPeer peer : world.peers) {
            peer.stoppedUntilStep = 0;
            peer.crashIn = 0;
            peer.heapHasRoom();
        }
        if (!world.door().isAlive) {
            world.door().start();
        }
        settle();
        if (world.server.isAlive && !world.server.isOfDaemon()) {
            world.server.close();
            settle();
        }
        startServer();
        if (!hasQuarantine()) {
            startServer(); // an evicted peer may have ended while the first attempt failed
            if (!world.server.isOfDaemon()) {
                throw world.fail("the server does not come again");
            }
        }
        checkQuarantine(world.daemon);
        checkQuarantine(world.door());
        noteWhatIsPending();
        Set<SimOp> unsent = unsent();
        world.ledger.checkNobodyWaitsInVain(world.server.isOfDaemon(), unsent);
        checkMemory(unsent);
        cancelAll();
        settle();
        for (SimPeer peer : world.peers) {
            if (!peer.isServer()) {
                checkNothingPending(peer);
                peer.close();
            }
        }
        settle();
        checkNothingPending(world.server);
        world.server.releaseAll();
        if (world.isDirect()) {
            checkHost(); // the host ends with its server
        }
        SimHost host = world.server.host;
        world.server.close();
        if (host != null) {
            checkNothingLeaked(host);
        }
        settle();
        world.ledger.checkBooks();
        if (!world.isDirect()) {
            checkHost();
        }
        world.door().checkEmpty();
        if (carrier != null) {
            checkNames(carrier);
        }
        SimDaemon lender = world.lender();
        if (lender != null && lender.isLent()) {
            throw world.fail("what was lent is never taken back");
        }
    }

    private void startServer() {
        if (!world.server.isAlive) {
            world.server.start();
            settle();
        }
    }

    /** Whether an evicted peer that lives may hold memory of the last server. */
    private boolean hasQuarantine() {
        return world.daemon.sessionsInQuarantine() + world.door().sessionsInQuarantine() > 0;
    }

    // A session is in quarantine for an evicted peer that lives and may still write.
    private void checkQuarantine(SimHosting host) {
        if (!host.isAlive) {
            return; // it has no counters
        }
        long kept = host.counted("zbmi.sessions.quarantined");
        if (kept > 0) {
            world.coverage.count(Rule.QUARANTINE);
        }
        if (kept > host.sessionsInQuarantine()) {
            throw world.fail(
                    host
                            + " keeps "
                            + kept
                            + " sessions out of use for "
                            + host.sessionsInQuarantine());
        }
    }

    private void checkNames(SimCarrier carrier) {
        String left = carrier.leftBehind();
        if (left != null) {
            throw world.fail("nobody removes " + left);
        }
        String missing = carrier.missing();
        if (missing != null) {
            throw world.fail(missing + " were to stay, and are gone");
        }
    }

    private void checkHost() {
        world.daemon.checkEmpty();
        checkCounters();
    }

    private void noteWhatIsPending() {
        world.daemon.showOperations(
                (id, client, isServer, isSend, isUnexpected, tag, bytes, age, reason) ->
                        world.note(
                                () ->
                                        "pending: %s, session %d, %s, tag %d, %d: %s"
                                                .formatted(
                                                        isServer ? "server" : "client",
                                                        client,
                                                        isSend ? "send" : "receive",
                                                        tag,
                                                        bytes,
                                                        reason)));
    }

    // Pending operations of the server that the engine does not know, since they wait for memory.
    private Set<SimOp> unsent() {
        Map<Place, Integer> known = new HashMap<>();
        world.daemon.showOperations(
                (id, client, isServer, isSend, isUnexpected, tag, bytes, age, reason) ->
                        known.merge(
                                new Place(client, isServer, isSend, tag, bytes), 1, Integer::sum));
        Set<SimOp> unsent = new LinkedHashSet<>();
        for (SimOp op : world.ledger.pendingOf(world.server)) {
            int client = ((ZoidAddress) op.address()).session();
            Place place = new Place(client, true, !op.isReceive(), op.tag(), op.sizeBytes());
            if (known.merge(place, -1, Integer::sum) < 0) {
                unsent.add(op);
            }
        }
        return unsent;
    }

    private record Place(int client, boolean isServer, boolean isSend, int tag, long bytes) {}

    // The oldest operation may use free memory first.
    private void checkMemory(Set<SimOp> unsent) {
        if (unsent.isEmpty() || !world.server.isOfDaemon()) {
            return;
        }
        SimOp oldest = unsent.iterator().next();
        if (oldest.isTainted) {
            return;
        }
        world.coverage.count(Rule.MEMORY);
        if (world.server.hasMemoryFor(oldest.sizeBytes())) {
            throw world.fail(oldest + " waits for memory, and there is some");
        }
    }

    private void checkNothingPending(SimPeer peer) {
        for (SimOp op : world.ledger.pendingOf(peer)) {
            if (!world.ledger.isTainted(op)) {
                throw world.fail(op + " was cancelled long ago and is not over");
            }
        }
    }

    private void checkNothingLeaked(SimHost host) {
        long leaked = host.counted("zoid.server.leakedBlocks");
        if (leaked > 0) {
            throw world.fail(leaked + " blocks of the pool are lost");
        }
    }

    private void cancelAll() {
        for (SimPeer peer : world.peers) {
            if (!peer.isAlive || peer.method == null) {
                continue;
            }
            for (SimOp op : world.ledger.pendingOf(peer)) {
                if (op.isPending && peer.isAlive) {
                    peer.run(() -> peer.cancel(op, CANCELLED));
                }
            }
        }
    }

    // The core does the same with operations past their deadline.
    private void cancelLate() {
        int code = ErrorCode.ETIMEDOUT.negativeValue();
        for (SimPeer peer : world.peers) {
            for (SimOp op : world.ledger.pendingOf(peer)) {
                boolean isLate = op.isPending && op.hasDeadline() && op.isExpired(world.nowNs());
                if (isLate && peer.isAlive && peer.method != null) {
                    peer.run(() -> peer.cancel(op, code));
                }
            }
        }
    }

    /** Runs everything that is under way, first without time passing, then with it. */
    private void settle() {
        // With a keeper the server's program may be busy elsewhere.
        boolean isServerAway = world.isDirect() && world.dice.chance(50);
        for (int i = 0; i < ROUNDS; i++) {
            if (isServerAway && i == 0) {
                world.server.endWait();
                quiesce(world.server);
                if (world.hasCut) {
                    world.passNs(1_000_000_000L); // an evicted peer can take the sleep word
                    quiesce(world.server);
                }
            } else {
                quiesce(null);
            }
            checkNobodySleepsOver();
            cancelLate();
            world.passNs(10_000_000_000L);
        }
        quiesce(null);
    }

    private void quiesce(@Nullable SimPeer away) {
        boolean isBusy = true;
        for (int turn = 0; isBusy; turn++) {
            if (turn > MOST_TURNS) {
                throw world.fail("the world does not come to rest");
            }
            isBusy = false;
            while (world.hasHostWork()) {
                world.hostStep();
                isBusy = true;
                if (++turn > MOST_TURNS) {
                    throw world.fail("the daemon does not come to rest");
                }
            }
            for (SimPeer peer : world.peers) {
                // A program that waits after all is not elsewhere: the engine may wake it to make
                // progress.
                boolean isHere = !peer.equals(away) || peer.isWaiting();
                boolean isThere = peer.isAlive && peer.method != null;
                if (isHere && isThere && !peer.isAsleep()) {
                    peer.waitStep(true);
                    isBusy = true;
                }
            }
            if (world.server.holdsSomething() && world.server.isAlive) {
                world.server.releaseAll();
                isBusy = true;
            }
        }
    }

    private void checkNobodySleepsOver() {
        SimGateway gateway = world.gatewayOrNull();
        if (gateway != null) {
            gateway.checkAwake();
        }
        List<SimPeer> here =
                world.peers.stream()
                        .filter(peer -> peer.isAlive && peer.method != null && peer.isOfDaemon())
                        .toList();
        for (SimPeer peer : here) {
            if (peer.hasUnread()) {
                throw world.fail(peer + " sleeps over a message");
            }
            if (peer.hasUnreceived()) {
                throw world.fail("the engine sleeps over a message of " + peer);
            }
        }
        // After the other checks: a retry is an action, which other processes may interrupt.
        for (SimPeer peer : here) {
            if (peer instanceof SimRemoteClient remote && remote.sleepsOverSomething()) {
                throw world.fail(peer + " sleeps although there is something to do");
            }
        }
    }

    private void checkCounters() {
        SimHosting daemon = world.daemon;
        if (daemon.hadFaults) {
            return;
        }
        world.coverage.count(Rule.COUNTERS);
        check("zbmi.messages.sent", world.ledger.receivedByServer);
        check("zbmi.messages.received", world.ledger.receivedByClients);
        check("zbmi.unexpected.accepted", world.ledger.unexpectedDelivered);
        world.ledger.checkNoneLost(daemon.counted("zbmi.unexpected.dropped"));
        long tooLong = daemon.counted("zbmi.messages.too.long");
        long surplus = tooLong - world.ledger.tooLong;
        if (surplus < 0 || surplus > world.ledger.receivesWithdrawn) {
            throw world.fail("zbmi.messages.too.long is " + tooLong);
        }
        check("zbmi.faults", 0);
        check("zbmi.sessions.attached", world.isDirect() ? 1 : 0);
        check("zbmi.sessions.quarantined", 0);
    }

    private void check(String label, long expected) {
        long counted = world.daemon.counted(label);
        if (counted != expected) {
            throw world.fail(label + " is " + counted + " and should be " + expected);
        }
    }
}

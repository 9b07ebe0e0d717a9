package org.jbmi.simulator;

import org.jbmi.ErrorCode;
import org.jbmi.simulator.coverage.Rule;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.OperationKind;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Records posts and outcomes, and checks whether the outcomes are allowed. */
final class Ledger {
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();
    private static final int REFUSED = ErrorCode.EPROTO.negativeValue();
    private static final int TOO_LONG = ErrorCode.EMSGSIZE.negativeValue();

    /** A server keeps a quarter of the time of its close for its goodbye. */
    private static final long WAITS_NS = Simulation.CLOSE_MS * 1_000_000L / 4 * 3;

    private record Key(long life, int tag, boolean towardServer) {}

    /** The history of one queue. */
    private static final class Queue {
        /** The numbers of receives, with those of their sends. */
        private final TreeMap<Long, Long> pairs = new TreeMap<>();

        private long sendsDone;
        private long receivesDone;

        /** Sends that a client cancelled while the engine may have dropped them as too long. */
        private long sendsWithdrawn;

        private long tooLong;
        private boolean isMurky;
    }

    private final World world;
    private final Map<Long, SimOp> operations = new HashMap<>();
    private final Map<Key, Queue> queues = new HashMap<>();
    private final Map<Long, Long> lastDelivered = new HashMap<>();
    private final Set<Long> delivered = new HashSet<>();
    private final Set<Long> taintedLives = new HashSet<>();

    /** Messages that no server got before one closed. Those that the engine had are dropped. */
    private final Set<SimOp> droppable = new HashSet<>();

    final Set<SimOp> pending = new LinkedHashSet<>();
    private long lastUid;
    long moved;
    long unexpectedDelivered;
    long unexpectedSent;
    long cancelled;
    long failed;
    long receivedByServer;
    long receivedByClients;
    long tooLong;
    long receivesWithdrawn;

    Ledger(World world) {
        this.world = world;
    }

    SimOp open(
            SimPeer owner,
            OperationKind kind,
            MethodAddress address,
            int tag,
            int messageClass,
            List<MemorySegment> buffers,
            boolean isPool) {
        SimOp op = new SimOp(++lastUid, owner, kind, address, tag, messageClass, buffers, isPool);
        op.isTainted = world.isServerTainted;
        op.begunNs = world.nowNs();
        operations.put(op.uid, op);
        pending.add(op);
        if (op.isReceive()) {
            op.scrub();
        } else {
            op.fill();
        }
        return op;
    }

    /** From now on no operation of one life of a client is checked. */
    void taint(long life) {
        taintedLives.add(life);
    }

    void taintAllPending() {
        for (SimOp op : pending) {
            op.isTainted = true;
        }
    }

    boolean isTaintedLife(long life) {
        return taintedLives.contains(life);
    }

    boolean isTainted(SimOp op) {
        return op.isTainted || taintedLives.contains(op.life);
    }

    /** The process of the operation has ended: no outcome will come. */
    void abandon(SimOp op) {
        pending.remove(op);
        op.isOver = true;
        queue(op).isMurky = true;
        op.code = HOST_DOWN;
    }

    /** The post has ended in an Error: the program gets no outcome and may use its buffers. */
    void threw(SimOp op) {
        world.note(() -> op + " is not posted");
        if (op.isOver) {
            throw world.fail(op + " is reported, and its post ended in an Error");
        }
        abandon(op);
        op.isTainted = true;
        op.retire();
    }

    private Queue queue(SimOp op) {
        boolean towardServer = op.isReceive() == op.owner.isServer();
        return queues.computeIfAbsent(new Key(op.life, op.tag(), towardServer), key -> new Queue());
    }

    /** Takes the outcome of an operation. */
    void report(SimOp op, int code, long bytes) {
        world.note(() -> op + ": " + (code == 0 ? bytes + " bytes" : ErrorCode.of(code)));
        if (op.isOver) {
            throw world.fail(op + " is reported twice");
        }
        pending.remove(op);
        op.isOver = true;
        op.code = code;
        op.bytes = bytes;
        op.retire();
        if (code == 0) {
            succeeded(op);
        } else {
            failed(op);
        }
        if (op.isTainted || code == HOST_DOWN) {
            queue(op).isMurky = true;
        }
        if (!op.owner.isUnsure(op)) {
            op.scrub();
        }
    }

    private void failed(SimOp op) {
        if (op.code == ErrorCode.ECANCEL.negativeValue()) {
            cancelled++;
        } else {
            failed++;
        }
        ErrorCode code = ErrorCode.of(op.code);
        if (code == null) {
            throw world.fail(op + " ends with the code " + op.code + ", which nobody knows");
        }
        if (op.code == HOST_DOWN && !world.daemon.hadFaults && !isGivenUp(op)) {
            throw world.fail(op + " ends with its session, and nothing went wrong");
        }
        if (!isTainted(op) && !hasReason(op, code)) {
            throw world.fail(op + " ends with " + code + ", and nothing gave cause");
        }
        boolean isMoved = op.isPaired || delivered.contains(op.uid);
        if (isMoved && op.code != HOST_DOWN && !isTainted(op)) {
            throw world.fail(op + " ends with " + code + ", but was received");
        }
        if (op.isReceive() && !op.owner.isServer()) {
            receivesWithdrawn++;
            checkRefusal(op);
        }
        if (op.kind() == OperationKind.SEND && !op.owner.isServer()) {
            queue(op).sendsWithdrawn++;
        }
        if (op.isReceive() && op.code == TOO_LONG) {
            tooLong++;
            queue(op).tooLong++;
            queue(op).receivesDone++;
        }
    }

    // Whether something has happened that ends an operation with this code.
    private boolean hasReason(SimOp op, ErrorCode code) {
        if (op.cancelCodes.contains(op.code)) {
            return true;
        }
        boolean hadFaults = world.daemon.hadFaults;
        boolean isServer = op.owner.isServer();
        return switch (code) {
            case EHOSTDOWN -> true; // see above
            case ECANCEL -> op.owner.isClosing;
            case EPIPE -> isServer ? !world.isLifeThere(op.life) : world.server.closes > 0;
            case EPROTO, EMSGSIZE -> op.isReceive() && hasTooLong(op, lastUid);
            // The post of a client waits for room, and that of a server for an answer.
            case ETIMEDOUT ->
                    op.isExpired(world.nowNs()) || (!op.isPending && (hadFaults || !isServer));
            default -> FullHeap.isCurrent(); // an object that was needed found no memory
        };
    }

    // A server that closes waits for clients that move bytes, and for a slow engine. Operations
    // without an outcome by then may have been received.
    private boolean isGivenUp(SimOp op) {
        return op.owner.isServer() && op.owner.closesFor(WAITS_NS);
    }

    // A message that came after a receive that is too small for it is dropped. Over a link the
    // engine may get the receive later.
    private void checkRefusal(SimOp op) {
        boolean isLate = op.code == REFUSED && op.postedAt != 0 && !op.owner.isRemote();
        if (!isLate || isTainted(op)) {
            return;
        }
        world.coverage.count(Rule.REFUSAL);
        if (!hasTooLong(op, op.postedAt)) {
            throw world.fail(op + " is refused for a message that came after it");
        }
    }

    // Whether a message that is too long for a receive was posted for its queue by then.
    private boolean hasTooLong(SimOp receive, long byUid) {
        for (SimOp each : operations.values()) {
            if (each.kind() == OperationKind.SEND
                    && each.owner.isServer() != receive.owner.isServer()
                    && each.uid <= byUid
                    && each.life == receive.life
                    && each.tag() == receive.tag()
                    && each.sizeBytes() > receive.sizeBytes()) {
                return true;
            }
        }
        return false;
    }

    long lastUid() {
        return lastUid;
    }

    private void succeeded(SimOp op) {
        moved++;
        if (op.kind() == OperationKind.SEND_UNEXPECTED) {
            unexpectedSent++;
            return;
        }
        Queue queue = queue(op);
        if (!op.isReceive()) {
            queue.sendsDone++;
            if (op.bytes != op.sizeBytes() && !isTainted(op)) {
                throw world.fail(op + " is said to have had " + op.bytes + " bytes");
            }
            return;
        }
        queue.receivesDone++;
        if (op.owner.isServer()) {
            receivedByServer++;
        } else {
            receivedByClients++;
        }
        if (op.bytes < 0 || op.bytes > op.sizeBytes()) {
            throw world.fail(op + " is said to have " + op.bytes + " bytes");
        }
        if (isTainted(op)) {
            return;
        }
        if (!op.isUntouchedFrom(op.bytes)) {
            throw world.fail(op + " got more bytes than the " + op.bytes + " of its message");
        }
        if (op.bytes >= SimOp.SHORTEST_NAMED) {
            received(op, queue);
        }
    }

    private void received(SimOp op, Queue queue) {
        byte[] bytes = op.received(op.bytes);
        SimOp sender = operations.get(SimOp.uidOf(bytes));
        if (sender == null) {
            throw world.fail(op + " has bytes that nobody sent");
        }
        if (isTainted(sender)) {
            return;
        }
        boolean isMeant =
                sender.kind() == OperationKind.SEND
                        && sender.life == op.life
                        && sender.tag() == op.tag()
                        && sender.owner.isServer() != op.owner.isServer();
        if (!isMeant) {
            throw world.fail(op + " got " + sender + ", which was meant for others");
        }
        if (sender.sizeBytes() != op.bytes || !SimOp.isContent(sender.uid, bytes)) {
            throw world.fail(op + " has other bytes than " + sender);
        }
        if (sender.isPaired) {
            throw world.fail(op + " got " + sender + ", which was received before");
        }
        if (sender.isOver && sender.code != 0 && sender.code != HOST_DOWN) {
            throw world.fail(op + " got " + sender + ", which had ended without success");
        }
        if (isTooLate(sender, op)) {
            throw world.fail(op + " got " + sender + ", although its time was over before");
        }
        sender.isPaired = true;
        var before = queue.pairs.lowerEntry(op.uid);
        var after = queue.pairs.higherEntry(op.uid);
        if ((before != null && before.getValue() > sender.uid)
                || (after != null && after.getValue() < sender.uid)) {
            throw world.fail(op + " got " + sender + " out of order");
        }
        queue.pairs.put(op.uid, sender.uid);
    }

    // Whether a message was posted after the deadline of a client's receive, whose post had
    // returned. For messages of the server the engine checks the deadline, and it gets the deadline
    // later than the client's program.
    private boolean isTooLate(SimOp send, SimOp receive) {
        boolean isLater = receive.postedAt != 0 && send.uid > receive.postedAt;
        if (receive.owner.isServer() || !isLater || !receive.isExpired(world.nowNs())) {
            return false;
        }
        world.coverage.count(Rule.DEADLINE);
        return receive.isExpired(send.begunNs);
    }

    /** Takes an unexpected message. */
    void arrived(long life, int tag, int messageClass, byte[] bytes) {
        unexpectedDelivered++;
        if (taintedLives.contains(life) || bytes.length < SimOp.SHORTEST_NAMED) {
            return;
        }
        SimOp sender = operations.get(SimOp.uidOf(bytes));
        if (sender == null || sender.kind() != OperationKind.SEND_UNEXPECTED) {
            throw world.fail("an unexpected message has come that nobody sent");
        }
        if (isTainted(sender)) {
            return;
        }
        world.note(() -> "the server gets " + sender);
        boolean isMeant =
                sender.life == life
                        && sender.tag() == tag
                        && sender.messageClass() == messageClass
                        && sender.sizeBytes() == bytes.length;
        if (!isMeant || !SimOp.isContent(sender.uid, bytes)) {
            throw world.fail(sender + " has arrived as something else");
        }
        if (!delivered.add(sender.uid)) {
            throw world.fail(sender + " has arrived twice");
        }
        if (sender.isOver && sender.code != 0 && sender.code != HOST_DOWN) {
            throw world.fail(sender + " has arrived after it ended without success");
        }
        Long last = lastDelivered.put(life, sender.uid);
        if (last != null && last > sender.uid) {
            throw world.fail(sender + " has arrived out of order");
        }
    }

    /** A server has closed. */
    void serverClosed() {
        for (SimOp op : operations.values()) {
            boolean mayArrive = !op.isOver || op.code == 0;
            if (op.kind() == OperationKind.SEND_UNEXPECTED
                    && mayArrive
                    && !delivered.contains(op.uid)) {
                droppable.add(op);
            }
        }
    }

    /** Checks that each unexpected message whose send succeeded has arrived, but for so many. */
    void checkNoneLost(long dropped) {
        for (SimOp op : operations.values()) {
            boolean isSent =
                    op.kind() == OperationKind.SEND_UNEXPECTED && op.isOver && op.code == 0;
            boolean isNamed = op.sizeBytes() >= SimOp.SHORTEST_NAMED;
            if (isSent && isNamed && !delivered.contains(op.uid) && !droppable.contains(op)) {
                throw world.fail(op + " succeeded, and its message is lost");
            }
        }
        long lost = unexpectedSent - unexpectedDelivered;
        if (lost > dropped || dropped > droppable.size()) {
            throw world.fail(
                    "of the messages whose sends succeeded, %d are lost and %d were dropped"
                            .formatted(lost, dropped));
        }
    }

    /**
     * Called when all processes wait and nothing moves: no operation may be left that could go on.
     */
    void checkNobodyWaitsInVain(boolean serverIsThere, Set<SimOp> unsent) {
        Map<Key, SimOp> sends = new HashMap<>();
        Map<Key, SimOp> receives = new HashMap<>();
        for (SimOp op : pending) {
            if (isTainted(op)) {
                continue;
            }
            if (!op.owner.isAlive) {
                throw world.fail(op + " is pending in a process that has ended");
            }
            boolean isCurrent = op.owner.isServer() || op.owner.lifeIs(op.life);
            if (!isCurrent && !op.owner.isServer()) {
                throw world.fail(op + " is pending in a session that has ended");
            }
            if (op.kind() == OperationKind.SEND_UNEXPECTED) {
                if (serverIsThere) {
                    throw world.fail(op + " waits although there is memory");
                }
                continue;
            }
            if (op.owner.isServer() && !world.isLifeThere(op.life)) {
                throw world.fail(op + " waits for a client that has gone");
            }
            if (unsent.contains(op)) {
                continue;
            }
            boolean towardServer = op.isReceive() == op.owner.isServer();
            Key key = new Key(op.life, op.tag(), towardServer);
            (op.isReceive() ? receives : sends).putIfAbsent(key, op);
        }
        for (Map.Entry<Key, SimOp> each : sends.entrySet()) {
            SimOp receive = receives.get(each.getKey());
            if (receive != null) {
                throw world.fail(each.getValue() + " and " + receive + " wait for each other");
            }
        }
    }

    /** Called at the end: all operations have outcomes, and both sides agree. */
    void checkBooks() {
        for (SimOp op : pending) {
            throw world.fail(op + " was never reported");
        }
        for (Map.Entry<Key, Queue> each : queues.entrySet()) {
            Queue queue = each.getValue();
            boolean isMurky = queue.isMurky || taintedLives.contains(each.getKey().life());
            long surplus = queue.sendsDone - queue.receivesDone;
            long lack = Math.min(queue.tooLong, queue.sendsWithdrawn);
            if (!isMurky && (surplus < -lack || surplus > 0)) {
                throw world.fail(
                        "in %s %d sends succeeded, but %d receives got one"
                                .formatted(each.getKey(), queue.sendsDone, queue.receivesDone));
            }
        }
    }

    /** Whether more receives of a client than sends to it are pending on a tag. */
    boolean isAwaited(long life, int tag) {
        int surplus = 0;
        for (SimOp op : pending) {
            if (op.life == life && op.tag() == tag && op.isReceive() != op.owner.isServer()) {
                surplus += op.isReceive() ? 1 : 0;
                surplus -= op.kind() == OperationKind.SEND ? 1 : 0;
            }
        }
        return surplus > 0;
    }

    @SuppressWarnings("ReferenceEquality") // identity of the process
    List<SimOp> pendingOf(SimPeer owner) {
        List<SimOp> of = new ArrayList<>();
        for (SimOp op : pending) {
            if (op.owner == owner) {
                of.add(op);
            }
        }
        return of;
    }
}

package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.ClientRequests.INLINE;
import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A simulated client with any number of threads: posts, tests, cancels, claims grants in the order
 * in which they come, moves their bytes in any order, and may die at any time.
 */
final class SimClient {
    private enum Life {
        DETACHED,
        ALIVE,
        KILLED,
        EVICTED
    }

    private static final long[] SIZES = {0, 1, 50, 100, 101, 500, 1000, 1000};

    private final SimWorld world;
    private final int index;
    private int generation;
    private Life life = Life.DETACHED;
    final Deque<Message> inbound = new ArrayDeque<>();
    private final Deque<Message> outbound = new ArrayDeque<>();
    private final Map<Long, SimOp> operations = new HashMap<>();
    private final List<SimOp> movers = new ArrayList<>();
    private final boolean[] isSlotTaken = new boolean[3];
    private final SimLoans loans;
    private long eagerSequence;
    private long correlations;
    private long armed;

    SimClient(SimWorld world, int index) {
        this.world = world;
        this.index = index;
        this.loans = new SimLoans(world, index, isSlotTaken);
    }

    private boolean chance(int percent) {
        return world.random.nextInt(100) < percent;
    }

    void step() {
        switch (life) {
            case DETACHED -> {
                if (world.isPosting) {
                    attach();
                }
            }
            case ALIVE -> stepAlive();
            case KILLED, EVICTED -> stepDead();
        }
    }

    private void attach() {
        if (!world.engine.mayAttachClient(index)) {
            return;
        }
        generation = world.nextGeneration(index);
        world.segment.forget(index);
        life = Life.ALIVE;
        world.event(() -> world.engine.clientAttached(index, generation));
    }

    private void stepAlive() {
        int dice = world.random.nextInt(100);
        if (dice < 30) {
            deliverOne();
        } else if (dice < 60) {
            handleOne();
        } else if (dice < (world.isCrowded ? 62 : 75)) {
            moveOne();
        } else if (!world.isPosting) {
            return;
        } else if (dice < 88) {
            post();
        } else if (dice < (world.isCrowded ? 89 : 92)) {
            cancelOne();
        } else if (dice < 99 || !world.isKilling || !chance(5)) {
            test();
        } else {
            life = Life.KILLED;
        }
    }

    // A dead process leaves what it had sent; one that was only evicted may still move bytes.
    private void stepDead() {
        if (life == Life.KILLED && chance(60)) {
            if (chance(50)) {
                deliverOne();
            } else {
                zombieMoves();
            }
        } else if (life == Life.KILLED) {
            outbound.clear();
            inbound.clear();
            life = Life.EVICTED;
            int code = ErrorCode.EHOSTDOWN.negativeValue();
            for (SimLedger.Block block : world.ledger.blocks.values()) {
                block.isDoomed |= block.isMoving && block.message.client == index;
            }
            world.event(() -> world.engine.clientGone(index, code, false));
            loans.dropKept();
        } else if (chance(60)) {
            zombieMoves();
        } else {
            bury();
        }
    }

    private void bury() {
        dropBlocks();
        for (SimOp op : operations.values()) {
            if (op.state != SimOp.State.OVER) {
                op.abandon();
            }
        }
        reset();
        world.event(() -> world.engine.clientProvedDead(index));
    }

    private void dropBlocks() {
        world.ledger.drop(
                world.segment, (offset, block) -> block.isMoving && block.message.client == index);
    }

    private void reset() {
        operations.clear();
        movers.clear();
        outbound.clear();
        inbound.clear();
        armed = 0;
        loans.reset();
        java.util.Arrays.fill(isSlotTaken, false);
        life = Life.DETACHED;
    }

    /** Leaves with a goodbye, if it is there; it has no transfer under way. */
    void leave() {
        if (life != Life.ALIVE) {
            return;
        }
        assertThat(movers).isEmpty();
        reset();
        world.event(() -> world.engine.clientGone(index, -1, true));
        loans.dropKept();
    }

    private void zombieMoves() {
        if (!movers.isEmpty()) {
            touch(movers.get(world.random.nextInt(movers.size())));
        }
    }

    private boolean deliverOne() {
        Message next = outbound.poll();
        if (next == null) {
            return false;
        }
        if (next.kind() == ClientRequests.DONE) {
            doneReachesTheEngine(next);
        } else if (next.kind() == ClientRequests.SEND_LENT) {
            loans.reach(next);
        }
        world.deliver(index, next);
        return true;
    }

    private void doneReachesTheEngine(Message done) {
        SimOp op = world.ledger.get(doneOperation(done));
        boolean isWhole = ClientRequests.doneStatus(done) == 0;
        if (op.kind == SimOp.Kind.UNEXPECTED) {
            SimLedger.Block block = world.ledger.blocks.get(op.offset);
            block.isMoving = false;
            if (block.isDoomed || !isWhole) {
                world.ledger.blocks.remove(op.offset);
                world.segment.unuse(op.offset);
            }
        } else if (isWhole && op.kind == SimOp.Kind.SEND) {
            world.ledger.movedToServer++;
        } else if (isWhole) {
            world.ledger.movedToClient++;
        }
    }

    private long doneOperation(Message done) {
        for (SimOp op : operations.values()) {
            if (op.grantId == ClientRequests.grantId(done) && op.hasMoved) {
                return op.uid;
            }
        }
        throw new AssertionError("a transfer of nobody");
    }

    private boolean handleOne() {
        Message next = inbound.poll();
        if (next == null) {
            return false;
        }
        assertThat(ClientEvents.isWellFormed(next)).isTrue();
        if (next.kind() == ClientEvents.TEST_REPLY) {
            armed = ClientEvents.correlation(next) == armed ? 0 : armed;
            return true;
        }
        SimOp op = operations.get(ClientEvents.reference(next));
        assertThat(op).as("the operation of %s", next).isNotNull();
        switch (next.kind()) {
            case ClientEvents.PENDING -> registered(op, next);
            case ClientEvents.GRANT -> granted(op, next);
            case ClientEvents.COMPLETED -> over(op, 0);
            default -> over(op, ClientEvents.failedCode(next));
        }
        return true;
    }

    private void registered(SimOp op, Message m) {
        assertThat(op.state).isEqualTo(SimOp.State.POSTING);
        op.state = SimOp.State.PENDING;
        op.engineId = ClientEvents.operationId(m);
        if (op.eagerSlot == INLINE) {
            op.eagerSlot = NOT_EAGER;
        }
    }

    private void granted(SimOp op, Message m) {
        if (op.state == SimOp.State.OVER) {
            world.ledger.grantsRefused++;
            return;
        }
        assertThat(op.isEager()).isFalse();
        int window = ClientEvents.window(m);
        if (!world.segment.claim(index, window, ClientEvents.claimWord(m))) {
            world.ledger.grantsRefused++;
            if (ClientEvents.correlation(m) != 0) {
                registered(op, m);
            }
            return;
        }
        op.state = SimOp.State.MOVING;
        op.grantId = ClientEvents.grantId(m);
        op.grantBytes = ClientEvents.grantBytes(m);
        op.offset = ClientEvents.grantOffset(m);
        movers.add(op);
        if (op.kind == SimOp.Kind.UNEXPECTED) {
            world.segment.use(op.offset, op.bytes);
            SimLedger.Block block = new SimLedger.Block(op, true);
            block.isDoomed = world.server.isGoneSince(op);
            world.ledger.blocks.put(op.offset, block);
        }
    }

    private void over(SimOp op, int code) {
        if (op.state == SimOp.State.MOVING) {
            assertThat(code).isNotZero();
            op.doomedWith = code;
            return;
        }
        if (op.state == SimOp.State.OVER) {
            // Cancelled or moved here, while its message was dropped or its server died there.
            boolean isCancelled = op.code == ErrorCode.ECANCEL.negativeValue();
            assertThat(isCancelled || (op.hasMoved && code != 0)).isTrue();
            return;
        }
        if (op.isEager()) {
            isSlotTaken[op.eagerSlot] = false;
        }
        op.report(code);
    }

    private boolean moveOne() {
        if (movers.isEmpty()) {
            return false;
        }
        SimOp op = movers.get(world.random.nextInt(movers.size()));
        if (!op.hasMoved) {
            if (!op.isTooSmall()) {
                touch(op);
            }
            op.hasMoved = true;
            return true;
        }
        movers.remove(op);
        int status = chance(3) ? ErrorCode.EFAULT.negativeValue() : 0;
        if (op.isTooSmall()) {
            status = ErrorCode.EMSGSIZE.negativeValue();
        }
        outbound.add(ClientRequests.done(new Message(), op.grantId, op.grantBytes, status));
        op.report(op.doomedWith != 0 ? op.doomedWith : status);
        return true;
    }

    private void touch(SimOp op) {
        if (op.kind == SimOp.Kind.UNEXPECTED) {
            world.segment.write(op.offset, op.uid);
            return;
        }
        SimOp other = world.server.ownerOf(op.offset);
        assertThat(other.isUntouchable).as("%s touches the block of %s", op, other).isFalse();
        if (op.kind == SimOp.Kind.SEND) {
            world.segment.write(op.offset, op.uid);
        } else if (!op.hasMoved && life == Life.ALIVE) {
            assertThat(world.segment.read(op.offset)).isEqualTo(other.uid);
            assertThat(op.grantBytes).isEqualTo(other.bytes);
            world.ledger.pair(other, op);
        }
    }

    private void post() {
        if (operations.values().stream().filter(o -> o.state != SimOp.State.OVER).count()
                > (world.isCrowded ? 190 : 25)) {
            return;
        }
        long bytes = SIZES[world.random.nextInt(SIZES.length)];
        int tag = world.random.nextInt(SimWorld.TAGS);
        int timeoutMs = chance(70) ? 0 : world.random.nextInt(3);
        int dice = world.random.nextInt(3);
        Message m = new Message();
        long corr = ++correlations;
        if (dice == 0) {
            SimOp op = open(SimOp.Kind.RECEIVE, tag, bytes);
            outbound.add(
                    ClientRequests.receive(
                            m, corr, op.uid, tag, bytes, timeoutMs, ClientRequests.NO_DATA_ROOM));
        } else if (dice == 1) {
            SimOp op = open(SimOp.Kind.SEND, tag, bytes);
            makeEager(op);
            outbound.add(
                    ClientRequests.send(
                            m,
                            corr,
                            op.uid,
                            tag,
                            bytes,
                            timeoutMs,
                            op.eagerSlot,
                            op.eagerSequence));
        } else {
            int slot = bytes <= SimWorld.EAGER && chance(30) ? loans.takeSlot() : -1;
            if (slot >= 0) {
                SimOp op = open(SimOp.Kind.UNEXPECTED, tag, bytes);
                loans.lend(slot, op);
                outbound.add(ClientRequests.sendLent(m, slot, tag, 7, (int) bytes));
                op.report(0);
                return;
            }
            SimOp op = open(SimOp.Kind.UNEXPECTED, tag, bytes);
            makeEager(op);
            boolean isInline = !op.isEager() && bytes > 0 && bytes <= 50 && chance(50);
            op.eagerSlot = isInline ? INLINE : op.eagerSlot;
            if (isInline && timeoutMs == 0 && chance(50)) {
                ClientRequests.sendShort(m, op.uid, tag, 7, (int) bytes, false);
            } else {
                ClientRequests.sendUnexpected(
                        m, corr, op.uid, tag, 7, bytes, timeoutMs, op.eagerSlot, op.eagerSequence);
            }
            for (int i = 0; isInline && i < (bytes + 7) / 8; i++) {
                m.put(op.uid);
            }
            outbound.add(m);
        }
    }

    private SimOp open(SimOp.Kind kind, int tag, long bytes) {
        SimOp op = world.ledger.open(false, kind, index, generation, tag, bytes);
        operations.put(op.uid, op);
        return op;
    }

    private void makeEager(SimOp op) {
        for (int slot = 0; slot < isSlotTaken.length; slot++) {
            if (!isSlotTaken[slot] && op.bytes <= SimWorld.EAGER && chance(60)) {
                isSlotTaken[slot] = true;
                op.eagerSlot = slot;
                op.eagerSequence = ++eagerSequence;
                world.segment.announce(index, slot, op.eagerSequence, op.uid);
                return;
            }
        }
    }

    private void cancelOne() {
        List<SimOp> pending = new ArrayList<>(operations.values());
        pending.removeIf(op -> op.state != SimOp.State.PENDING);
        if (!pending.isEmpty()) {
            cancel(pending.get(world.random.nextInt(pending.size())));
        }
    }

    private void cancel(SimOp op) {
        if (op.isEager()) {
            if (!world.segment.withdraw(index, op.eagerSlot, op.eagerSequence)) {
                return;
            }
            isSlotTaken[op.eagerSlot] = false;
        }
        op.report(ErrorCode.ECANCEL.negativeValue());
        outbound.add(ClientRequests.withdraw(new Message(), op.engineId, op.uid));
    }

    private void test() {
        Message m = new Message();
        if (armed != 0 && chance(60)) {
            outbound.add(ClientRequests.disarm(m, armed));
            armed = 0;
        } else if (chance(50)) {
            outbound.add(ClientRequests.test(m, ++correlations, 0));
        } else {
            armed = ++correlations;
            outbound.add(ClientRequests.test(m, armed, 1 + world.random.nextInt(3)));
        }
    }

    /** Does whatever is under way, in any order; whether there was anything. */
    boolean drain() {
        boolean any = false;
        boolean more = life != Life.DETACHED;
        while (more) {
            if (life == Life.KILLED || life == Life.EVICTED) {
                stepDead();
                more = life != Life.DETACHED;
            } else {
                more = deliverOne() | handleOne() | moveOne();
            }
            any |= more;
        }
        return any;
    }

    void waitLong() {
        if (life == Life.ALIVE) {
            armed = ++correlations;
            outbound.add(ClientRequests.test(new Message(), armed, Integer.MAX_VALUE));
        }
    }

    long pendingUnexpected() {
        return operations.values().stream()
                .filter(op -> op.kind == SimOp.Kind.UNEXPECTED)
                .filter(op -> op.state != SimOp.State.OVER)
                .count();
    }

    void cancelAll() {
        if (life == Life.ALIVE) {
            for (SimOp op : operations.values()) {
                if (op.state == SimOp.State.PENDING) {
                    cancel(op);
                }
            }
        }
    }
}

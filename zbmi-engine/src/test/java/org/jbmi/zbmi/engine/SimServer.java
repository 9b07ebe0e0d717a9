package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A simulated server with any number of threads, which may also say its goodbye or die. */
final class SimServer {
    private enum Life {
        DETACHED,
        ALIVE,
        FINISHING,
        CRASHED
    }

    private static final long[] SIZES = {0, 50, 100, 101, 500, 1000, 1000, 2000};

    private final SimWorld world;
    private Life life = Life.DETACHED;
    private int generation;
    private long lastGoneUid;
    private final Deque<Message> inbound = new ArrayDeque<>();
    private final Deque<Message> outbound = new ArrayDeque<>();
    private final Map<Long, SimOp> operations = new HashMap<>();
    private final Map<Long, SimOp> byOffset = new HashMap<>();
    private final Map<Integer, Integer> clientLives = new HashMap<>();
    private final List<Long> held = new ArrayList<>();
    private long correlations;
    long immediate;

    SimServer(SimWorld world) {
        this.world = world;
    }

    private boolean chance(int percent) {
        return world.random.nextInt(100) < percent;
    }

    /** The operation whose block begins there. */
    SimOp ownerOf(long offset) {
        return byOffset.get(offset);
    }

    /** Whether the server that was there when an operation was posted is gone. */
    boolean isGoneSince(SimOp op) {
        return op.uid <= lastGoneUid && !world.engine.isServerAttached();
    }

    /** The engine says something; what it says holds from now on, although it is heard later. */
    void sent(Message m) {
        assertThat(ServerEvents.isWellFormed(m)).isTrue();
        if (m.kind() == ServerEvents.CANCEL_REPLY
                && ServerEvents.cancelOutcome(m) == ServerEvents.CANCELLED) {
            operations.get(ServerEvents.operationId(m)).isUntouchable = true;
        } else if (m.kind() == ServerEvents.COMPLETION) {
            operations.get(ServerEvents.completedOperation(m)).isUntouchable = true;
        } else if (m.kind() == ServerEvents.POST_COMPLETED) {
            operations.get(ServerEvents.operationId(m)).isUntouchable = true;
        } else if (m.kind() == ServerEvents.UNEXPECTED) {
            lend(m);
        }
        inbound.add(m);
    }

    private void lend(Message m) {
        long offset = ServerEvents.offset(m);
        SimOp message = world.ledger.get(world.segment.read(offset));
        SimLedger.Block block = world.ledger.blocks.get(offset);
        assertThat(block.isMoving).isFalse();
        assertThat(block.isLent).isFalse();
        block.isLent = true;
        block.isEarly = false;
        world.ledger.unexpectedArrived(
                message,
                ServerEvents.session(m),
                ServerEvents.generation(m),
                ServerEvents.tag(m),
                ServerEvents.bytes(m));
    }

    void step() {
        if (life == Life.DETACHED) {
            if (world.isPosting) {
                attach();
            }
            return;
        }
        if (life == Life.CRASHED) {
            if (chance(20)) {
                proveDead();
            }
            return;
        }
        int dice = world.random.nextInt(100);
        if (dice < 30) {
            deliverOne();
        } else if (dice < 60) {
            handleOne();
        } else if (life == Life.FINISHING || !world.isPosting) {
            return;
        } else if (dice < 85) {
            post();
        } else if (dice < (world.isCrowded ? 86 : 92)) {
            cancelOne();
        } else if (dice < 99 || !world.isKilling || !chance(10)) {
            freeOne();
        } else if (chance(50)) {
            life = Life.FINISHING;
            outbound.add(ServerRequests.finish(new Message(), ++correlations));
        } else {
            crash();
        }
    }

    private void attach() {
        if (!world.engine.mayAttachServer()) {
            return;
        }
        life = Life.ALIVE;
        generation = world.nextGeneration(SERVER_SESSION);
        world.event(() -> world.engine.serverAttached(generation));
    }

    private void crash() {
        forget();
        life = Life.CRASHED;
        world.event(() -> world.engine.serverGone(false));
    }

    private void proveDead() {
        dropBlocks(true);
        life = Life.DETACHED;
        world.event(() -> world.engine.serverProvedDead());
    }

    // What was accepted and not handed over is dropped; what is being moved will be.
    private void forget() {
        lastGoneUid = Long.MAX_VALUE;
        for (SimOp op : operations.values()) {
            if (op.state != SimOp.State.OVER) {
                op.abandon();
            }
        }
        operations.clear();
        inbound.clear();
        outbound.clear();
        held.clear();
        clientLives.clear();
        for (SimLedger.Block block : world.ledger.blocks.values()) {
            block.isDoomed |= block.isMoving;
            block.isEarly = false;
        }
        dropBlocks(false);
    }

    private void dropBlocks(boolean areLentToo) {
        world.ledger.drop(
                world.segment,
                (offset, block) ->
                        !block.isMoving && !block.isEarly && (!block.isLent || areLentToo));
    }

    private boolean deliverOne() {
        Message next = outbound.poll();
        if (next == null) {
            return false;
        }
        if (next.kind() == ServerRequests.UNEXPECTED_FREE) {
            world.ledger.blocks.remove(ServerRequests.freedOffset(next));
            world.segment.unuse(ServerRequests.freedOffset(next));
        } else if (next.kind() == ServerRequests.FINISH) {
            forget();
            dropBlocks(true);
        }
        world.deliver(SERVER_SESSION, next);
        return true;
    }

    private boolean handleOne() {
        Message m = inbound.poll();
        if (m == null) {
            return false;
        }
        switch (m.kind()) {
            case ServerEvents.CLIENT_ATTACHED ->
                    clientLives.put(ServerEvents.session(m), ServerEvents.generation(m));
            case ServerEvents.CLIENT_GONE -> {}
            case ServerEvents.UNEXPECTED -> held.add(ServerEvents.offset(m));
            case ServerEvents.FINISH_REPLY -> {
                life = Life.DETACHED;
                inbound.clear();
                world.event(() -> world.engine.serverGone(true));
            }
            case ServerEvents.COMPLETION -> completed(m);
            case ServerEvents.REGISTERED -> {
                SimOp op = operations.get(ServerEvents.operationId(m));
                assertThat(op.state).isEqualTo(SimOp.State.POSTING);
                op.state = SimOp.State.PENDING;
                op.engineId = ServerEvents.answer(m);
            }
            case ServerEvents.POST_COMPLETED -> {
                SimOp op = operations.get(ServerEvents.operationId(m));
                assertThat(op.state).isEqualTo(SimOp.State.POSTING);
                immediate++;
                success(op, ServerEvents.answer(m));
            }
            case ServerEvents.POST_REFUSED -> {
                SimOp op = world.ledger.get(ServerEvents.operationId(m));
                if (life == Life.FINISHING && op.state == SimOp.State.OVER) {
                    // Its thread was still inside when the server said its goodbye, and a client
                    // may
                    // have been moving its bytes.
                    assertThat((int) ServerEvents.answer(m))
                            .isIn(
                                    SimWorld.code(ErrorCode.ECANCEL),
                                    SimWorld.code(ErrorCode.EHOSTDOWN));
                    return true;
                }
                assertThat(op.state).isEqualTo(SimOp.State.POSTING);
                op.isUntouchable = true;
                op.report((int) ServerEvents.answer(m));
            }
            default -> cancelled(m);
        }
        return true;
    }

    private void completed(Message m) {
        SimOp op = operations.get(ServerEvents.completedOperation(m));
        assertThat(op.state).as("registered before it is completed").isEqualTo(SimOp.State.PENDING);
        int code = ServerEvents.completionCode(m);
        if (code == 0) {
            success(op, ServerEvents.completionBytes(m));
        } else {
            op.report(code);
        }
    }

    private void success(SimOp op, long bytes) {
        op.report(0);
        if (op.kind == SimOp.Kind.RECEIVE) {
            SimOp sender = world.ledger.get(world.segment.read(op.offset));
            assertThat(bytes).isEqualTo(sender.bytes);
            world.ledger.pair(sender, op);
        } else {
            assertThat(bytes).isEqualTo(op.bytes);
        }
    }

    private void cancelled(Message m) {
        SimOp op = operations.get(ServerEvents.operationId(m));
        if (ServerEvents.cancelOutcome(m) == ServerEvents.CANCELLED) {
            op.report(ErrorCode.ECANCEL.negativeValue());
        }
    }

    private void post() {
        if (operations.values().stream().filter(o -> o.state != SimOp.State.OVER).count()
                > (world.isCrowded ? 390 : 40)) {
            return;
        }
        int client = 1 + world.random.nextInt(world.clients.length - 1);
        int life = clientLives.getOrDefault(client, 0);
        if (life == 0) {
            return;
        }
        boolean isSend = chance(50);
        SimOp.Kind kind = isSend ? SimOp.Kind.SEND : SimOp.Kind.RECEIVE;
        long bytes = SIZES[world.random.nextInt(SIZES.length)];
        int tag = world.random.nextInt(SimWorld.TAGS);
        SimOp op = world.ledger.open(true, kind, client, life, tag, bytes);
        op.offset = SimWorld.EXPECTED + op.uid * 4096;
        operations.put(op.uid, op);
        byOffset.put(op.offset, op);
        if (isSend) {
            world.segment.write(op.offset, op.uid);
        }
        int request = isSend ? ServerRequests.POST_SEND : ServerRequests.POST_RECEIVE;
        Message m = new Message();
        ServerRequests.post(
                m, request, ++correlations, op.uid, client, life, tag, ServerRequests.NEVER, bytes);
        outbound.add(ServerRequests.place(m, op.offset, 0, 0));
    }

    private void cancelOne() {
        List<SimOp> pending = new ArrayList<>(operations.values());
        pending.removeIf(op -> op.state != SimOp.State.PENDING);
        if (!pending.isEmpty()) {
            cancel(pending.get(world.random.nextInt(pending.size())));
        }
    }

    private void cancel(SimOp op) {
        outbound.add(ServerRequests.cancel(new Message(), ++correlations, op.uid, op.engineId));
    }

    private void freeOne() {
        if (!held.isEmpty()) {
            long offset = held.remove(world.random.nextInt(held.size()));
            outbound.add(ServerRequests.unexpectedFree(new Message(), offset));
        }
    }

    void freeAll() {
        boolean more = life == Life.ALIVE;
        while (more) {
            more = handleOne() | !held.isEmpty();
            freeOne();
            more |= deliverOne();
            for (int i = 1; i < world.clients.length; i++) {
                more |= world.clients[i].drain();
            }
        }
    }

    boolean drain() {
        boolean any = false;
        if (life == Life.CRASHED) {
            proveDead();
            any = true;
        }
        if (life == Life.DETACHED && world.engine.mayAttachServer()) {
            attach();
            any = true;
        }
        boolean more = true;
        while (more) {
            more = deliverOne() | handleOne();
            any |= more;
        }
        return any;
    }

    void cancelAll() {
        for (SimOp op : operations.values()) {
            if (op.state == SimOp.State.PENDING) {
                cancel(op);
            }
        }
    }
}

package org.jbmi.simulator;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.SimHosting.Segment;
import org.jbmi.simulator.heap.HeapFull;
import org.jbmi.simulator.queue.SimCarrier;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.channel.ServerAttachment;
import org.jbmi.zbmi.host.DirectHosting;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.common.ZoidAddress;
import org.jbmi.zoid.server.RemoteAttachment;
import org.jbmi.zoid.server.ZoidServer;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** The BMI server's process. */
final class SimServer extends SimPeer {
    private static final int MOST_PENDING = 24;
    private static final int CLIENTS_KNOWN = 8;

    /** An unexpected message that the program holds, with its contents at its arrival. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Lent(long token, MemorySegment bytes, byte[] copy, long life) {}

    private final List<ZoidAddress> clients = new ArrayList<>();
    private final Deque<Lent> lent = new ArrayDeque<>();
    private final Deque<MemorySegment> hoard = new ArrayDeque<>();
    private long hoardUntilStep;

    SimServer(World world) {
        super(world, "server");
    }

    @Override
    boolean isServer() {
        return true;
    }

    @Override
    PeerRole role() {
        return PeerRole.SERVER;
    }

    @Override
    Method open(SimHost newHost) {
        ServerAttachment attachment = engine();
        world.isServerTainted = false;
        return new ZoidServer(
                newHost, attachment, new Seams(clock, waiting, world.liveness, threads));
    }

    private ServerAttachment engine() {
        if (world.daemon instanceof SimDirect own) {
            SimDaemon lender = world.lender();
            ServerAttachment attachment;
            if (lender == null) {
                attachment = own.host(this);
            } else {
                PeerAttachment session = attach(lender, DirectHosting.TRANSPORT);
                long generation = session.welcome().segmentGeneration();
                attachment = own.host(this, session, lender.loan(generation));
            }
            area = null; // it has no lane
            lane = null;
            segment = own.segment();
            return attachment;
        }
        return remote(world.carriers().channelOf(this));
    }

    private ServerAttachment remote(CommandChannelProvider channel) {
        return new RemoteAttachment(attach(world.daemon, channel.name()), channel);
    }

    // No host, no answer, or a refusal; each refusal must have a reason.
    @Override
    void checkFailure(BmiException failure) {
        boolean isFounded =
                switch (failure.code()) {
                    case ENETDOWN, ETIMEDOUT, EBUSY -> true;
                    case EIO -> world.carriers().of(this) != null; // its queues cannot be opened
                    case ENOMEM -> world.hasFullHeap(); // the host has no thread to open them
                    default -> false;
                };
        if (!isFounded) {
            throw world.fail(this + " cannot attach, and nobody hinders it: " + failure, failure);
        }
    }

    @Override
    boolean isLaneTight() {
        return super.isLaneTight() || isSo(SimCarrier::isTight, false);
    }

    @Override
    boolean hasUnread() {
        return isSo(SimCarrier::hasUnread, super.hasUnread());
    }

    @Override
    boolean hasUnreceived() {
        return isSo(SimCarrier::hasUnreceived, super.hasUnreceived());
    }

    private interface Question {
        boolean ask(SimCarrier carrier, SharedMemory raw, SessionArea area);
    }

    /** Asks the queues of its commands; for a lane the answer is the given one. */
    private boolean isSo(Question question, boolean otherwise) {
        SimCarrier carrier = world.carriers().of(this);
        Segment in = segment;
        SessionArea own = area;
        if (carrier == null || in == null || own == null) {
            return otherwise;
        }
        return question.ask(carrier, in.raw(), own);
    }

    @Override
    boolean isOfDaemon() {
        if (world.daemon instanceof SimDirect own) {
            return own.isWhole();
        }
        SimCarrier carrier = world.carriers().of(this);
        return super.isOfDaemon() && (carrier == null || !carrier.hasFailed());
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // identity of the memory
    void wokenOn(SharedMemory raw, long offset) {
        super.wokenOn(raw, offset);
        Segment in = segment;
        if (in == null || in.raw() != raw || !world.isDirect()) {
            return;
        }
        if (!sleepsInSelector && in.map().engineSleepWordOffset() == offset) {
            isWoken = true;
        }
    }

    @Override
    protected void onDeath() {
        if (world.daemon instanceof SimDirect own) {
            own.end();
        }
        super.onDeath();
    }

    @Override
    void closed() {
        world.ledger.serverClosed();
    }

    @Override
    protected void onEnded() {
        super.onEnded();
        world.carriers().forget(this);
        if (world.isDirect()) {
            world.daemon.onEnded();
        }
        clients.clear();
        lent.clear();
        hoard.clear();
    }

    boolean hasLent() {
        return !lent.isEmpty();
    }

    @Override
    void step() {
        if (method == null) {
            return;
        }
        if (!hoard.isEmpty() && world.steps >= hoardUntilStep) {
            run(this::releaseHoard);
            return;
        }
        int dice = world.dice.below(100);
        if (dice < 10 && !isOfDaemon() && frames == 0 && !world.daemon.isBusy()) {
            close(); // the program sees that the session is over, and opens another one
        } else if (dice == 99 && world.mayLeave() && !world.daemon.isBusy()) {
            close(); // for a reason that its clients do not know
        } else if (dice < 36 && world.isPosting) {
            postStep();
        } else if (dice < 43) {
            cancelStep();
        } else if (dice < 62) {
            progressStep();
        } else if (dice < 76) {
            run(this::freeUnexpected);
        } else if (dice < 84) {
            run(this::freeFinished);
        } else {
            waitStep(false);
        }
    }

    private void postStep() {
        int which = world.dice.below(CLIENTS_KNOWN);
        if (world.shortReplies.isNow()) {
            answerOne(which);
            return;
        }
        boolean isSend = world.dice.chance(50);
        int tag = world.dice.below(TAGS);
        int size = SimOp.anySize(world.dice);
        boolean isPool = world.dice.chance(60);
        boolean isList = world.dice.chance(25);
        if (clients.isEmpty() || world.ledger.pendingOf(this).size() >= MOST_PENDING) {
            return;
        }
        ZoidAddress to = clients.get(which % clients.size());
        int queue = (to.generation() * 8 + tag) * 2 + (isSend ? 1 : 0);
        if (busyQueues.contains(queue)) {
            return;
        }
        run(() -> post(to, isSend, tag, size, isPool, isList, queue));
    }

    private void answerOne(int which) {
        if (!clients.isEmpty()) {
            ZoidAddress to = clients.get(which % clients.size());
            long life = lifeOf(to);
            world.shortReplies.crossed(
                    () -> world.shortReplies.cancelsReceive(life), () -> answer(to));
        }
    }

    /** Sends a short message to a client, if it waits for one and the server can post. */
    void answer(long life) {
        boolean isFree = isAlive && method != null && mayRun() && !isHostBusy() && !isLaneTight();
        for (int i = 0; isFree && i < clients.size(); i++) {
            ZoidAddress to = clients.get(i);
            if (lifeOf(to) == life) {
                answer(to);
                return;
            }
        }
    }

    private void answer(ZoidAddress to) {
        int size = SimOp.shortSize(world.dice);
        boolean isPool = world.dice.chance(60);
        int queue = (to.generation() * 8 + SimOp.TERSE_TAG) * 2 + 1;
        if (world.ledger.isAwaited(lifeOf(to), SimOp.TERSE_TAG)
                && !busyQueues.contains(queue)
                && world.ledger.pendingOf(this).size() < MOST_PENDING) {
            run(() -> post(to, true, SimOp.TERSE_TAG, size, isPool, false, queue));
        }
    }

    private void post(
            ZoidAddress to,
            boolean isSend,
            int tag,
            int size,
            boolean isPool,
            boolean isList,
            int queue) {
        List<MemorySegment> buffers = isPool ? pooled(size, isList) : List.of();
        boolean found = !buffers.isEmpty();
        SimOp op =
                world.ledger.open(
                        this,
                        isSend ? OperationKind.SEND : OperationKind.RECEIVE,
                        to,
                        tag,
                        0,
                        found ? buffers : SimClient.buffers(size, isList),
                        found);
        op.life = lifeOf(to);
        if (world.dice.chance(6)) {
            op.expireAt(world.nowNs() + world.dice.below(20) * 1_000_000L);
        }
        mayFillHeap();
        try {
            post(op, queue);
        } finally {
            heapHasRoom();
        }
    }

    private List<MemorySegment> pooled(int size, boolean isList) {
        List<MemorySegment> blocks = new ArrayList<>();
        int first = isList ? size / 3 : size;
        if (!allocate(blocks, first) || (isList && !allocate(blocks, size - first))) {
            blocks.forEach(this::give);
            // A program that has taken all memory may still send from it.
            MemorySegment own = hoard.pollLast();
            return own == null ? List.of() : List.of(own);
        }
        return blocks;
    }

    private boolean allocate(List<MemorySegment> into, int size) {
        MemorySegment block = memalloc(size);
        if (block != null) {
            into.add(block);
        }
        return block != null;
    }

    private @Nullable MemorySegment memalloc(int size) {
        try {
            return half().memalloc(size);
        } catch (HeapFull e) {
            return null;
        }
    }

    private void give(MemorySegment block) {
        int code;
        long sent = sent();
        try {
            code = half().memfree(block);
        } catch (HeapFull e) {
            code = half().memfree(block);
            code = code == ErrorCode.EINVAL.negativeValue() ? 0 : code; // it is free already
        }
        if (code != 0) {
            throw world.fail("a block that nobody uses cannot be freed: " + code);
        }
        if (sent() != sent) {
            throw world.fail("who frees a block does the work of those who wait for it");
        }
    }

    /** How many messages its half has sent to the engine. */
    private long sent() {
        return host == null ? 0 : host.counted("zoid.server.commands");
    }

    private long lifeOf(ZoidAddress address) {
        Segment in = segment;
        return in == null ? 0 : in.lifeOf(address.generation());
    }

    @Override
    void completed(SimOp op, int code, long bytes) {
        world.ledger.report(op, code, bytes);
        finished.add(op);
        isWoken |= world.isDirect(); // by the core, since the keeper may have found it
    }

    private void freeFinished() {
        SimOp op = finished.poll();
        if (op == null) {
            return;
        }
        checkUntouched(op);
        if (op.isPool) {
            op.buffers.forEach(this::give);
        }
    }

    private void freeUnexpected() {
        Lent oldest = lent.poll();
        if (oldest == null) {
            return;
        }
        byte[] now = oldest.bytes.toArray(ValueLayout.JAVA_BYTE);
        // The message may be in a slot of its client, and the client's garbage may come later.
        boolean isTainted = world.isServerTainted || world.ledger.isTaintedLife(oldest.life);
        if (!isTainted && !Arrays.equals(now, oldest.copy)) {
            throw world.fail("an unexpected message has changed while the server had it");
        }
        try {
            if (!half().unexpectedFreedSoon(oldest.token)) {
                half().unexpectedFree(oldest.token);
            }
        } catch (HeapFull e) {
            lent.addFirst(oldest); // the program still holds it
            throw e;
        }
    }

    /** Takes all memory of the pool. */
    void hoard(int steps) {
        hoardUntilStep = world.steps + steps;
        run(
                () -> {
                    for (int size = 2048; size >= 64; size /= 2) {
                        MemorySegment block = memalloc(size);
                        while (block != null) {
                            hoard.add(block);
                            block = memalloc(size);
                        }
                    }
                });
    }

    private void releaseHoard() {
        MemorySegment block = hoard.poll();
        if (block != null) {
            give(block);
        }
    }

    /** Frees everything that the program holds. */
    void releaseAll() {
        while (isAlive && method != null && !hoard.isEmpty()) {
            run(this::releaseHoard);
        }
        while (isAlive && method != null && !finished.isEmpty()) {
            run(this::freeFinished);
        }
        while (isAlive && method != null && !lent.isEmpty()) {
            run(this::freeUnexpected);
        }
    }

    boolean holdsSomething() {
        return !hoard.isEmpty() || !finished.isEmpty() || !lent.isEmpty();
    }

    /** Whether the pool has a block for an operation. */
    boolean hasMemoryFor(long bytes) {
        return half().memalloc(bytes) != null;
    }

    @Override
    void arrived(MethodAddress from, int tag, int messageClass, MemorySegment bytes, long token) {
        ZoidAddress client = (ZoidAddress) from;
        isWoken |= world.isDirect();
        if (!clients.contains(client) && client.failure() == 0) {
            clients.add(client);
        }
        byte[] copy = bytes.toArray(ValueLayout.JAVA_BYTE);
        long of = lifeOf(client);
        lent.add(new Lent(token, bytes, copy, of));
        if (!world.isServerTainted) {
            world.ledger.arrived(of, tag, messageClass, copy);
        }
    }

    @Override
    void failed(MethodAddress address) {
        clients.remove((ZoidAddress) address);
        // The core does the same with a peer without references, but not inside this call.
    }
}

package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.observe.ServerLog;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * Moves the data of reads and writes. It receives or sends each message that a request announces,
 * also if the request fails; bytes that the file does not have are zeros. Owned by the ordering
 * stage.
 */
final class DataFlow {
    /** The stage that owns this part. */
    interface Owner {
        /** Answers a call. */
        void reply(Call call, Reply reply);

        /** The client of an unanswered call has gone. */
        void abandon(Call call);

        /** All buffers of a call are free. */
        void over(Call call);
    }

    private final Bmi bmi;
    private final Outlet outlet;
    private final FileQueues queues;
    private final Appends appends;
    private final Admission admission;
    private final PayloadMemory memory;
    private final Consumer<DiskTask> workers;
    private final ServerCounters counters;
    private final long writeBehindBytes;
    private final Owner owner;
    private final IntrusiveQueue<DataCall> starved = new IntrusiveQueue<>();
    private final Consumer<DataCall> start = this::start;
    private final Consumer<DataMove> zeroed = this::zeroed;
    private long unwrittenBytes;

    DataFlow(
            Bmi bmi,
            Outlet outlet,
            FileQueues queues,
            Appends appends,
            Limits limits,
            Consumer<DiskTask> workers,
            ServerCounters counters,
            Owner owner) {
        this.bmi = bmi;
        this.outlet = outlet;
        this.queues = queues;
        this.appends = appends;
        this.admission = new Admission(limits.memoryBytes(), this::isGone);
        this.memory = new PayloadMemory(bmi);
        this.workers = workers;
        this.counters = counters;
        this.writeBehindBytes = limits.writeBehindBytes();
        this.owner = owner;
    }

    /** A read or write arrived. */
    void arrived(Call call) {
        DataCall data = new DataCall(call);
        if (data.hasImpossibleLength()) {
            // No client can send or receive so many bytes, so there are no messages.
            data.fail(Status.INVAL);
            owner.reply(call, Reply.status(call.status));
            owner.over(call);
            return;
        }
        long longest =
                data.bufferBytes > Call.PLAIN_BYTES ? longestMessage(call) : Call.PLAIN_BYTES;
        if (data.bufferBytes > longest && data.writing) {
            // Its data is on the way, and the server cannot receive it.
            call.dropPeer();
            owner.abandon(call);
            owner.over(call);
            return;
        }
        if (data.bufferBytes > longest) {
            data.shortenMessages(longest);
        }
        admission.add(data);
    }

    /** How long a message of data to or from a client may be. */
    long longestMessage(Call call) {
        return call.longestMessageBytes(bmi);
    }

    /** Begins calls for which there is memory. */
    void admit() {
        for (int i = starved.size(); i > 0; i--) {
            start(Objects.requireNonNull(starved.poll()));
        }
        for (DataCall data = admission.next(); data != null; data = admission.next()) {
            DataCall oldest = starved.first();
            if (oldest != null) {
                oldest.passedInPool++;
            }
            try {
                begin(data);
            } catch (RuntimeException | OutOfMemoryError e) {
                recover(data, e);
            }
        }
    }

    private boolean isGone(DataCall data) {
        return bmi.findPeer(data.call.peer.id()) == null;
    }

    private void begin(DataCall data) {
        if (data.dead) {
            finish(data);
            return;
        }
        FileQueue queue = queues.of(data.handle);
        queue.calls++;
        data.queue = queue;
        if (data.append && data.isGood()) {
            appends.place(data, start);
        } else {
            start(data);
        }
    }

    /**
     * A step of one call has thrown. Other calls are not affected: the call continues to move its
     * data and ends with an error. If a second step throws, or the call was answered before its
     * end, the client would wait or trust its data: the server disconnects it. Each step has its
     * own catch, since a common one would need an object for the step, and there may be no memory.
     */
    private void recover(DataCall data, Throwable reason) {
        ServerLog.failed(Fault.DATA_STEP, reason);
        data.fail(Status.OTHER);
        boolean isFirst = !data.broken && !data.writeBehind;
        data.broken = true;
        if (isFirst) {
            try {
                resume(data);
                return;
            } catch (RuntimeException | OutOfMemoryError e) {
                ServerLog.failed(Fault.DATA_GOES_ON, e);
            }
        }
        giveUp(data);
    }

    /** Starts work on idle buffers. */
    private void resume(DataCall data) {
        // From the last, because a buffer without a message goes.
        for (int i = data.moves.size() - 1; i >= 0; i--) {
            DataMove move = data.moves.get(i);
            // A failed write writes no more messages, so none of them waits for another.
            if (!move.underWay && (data.writing || !move.ready)) {
                if (move.loaded && !data.writing) {
                    zero(move);
                } else {
                    next(move);
                }
            }
        }
        if (data.moves.isEmpty() && !data.over) {
            startNow(data);
            if (data.nextMessage == data.messages && data.moves.isEmpty()) {
                finish(data);
            }
        }
    }

    /** Ends a call whose client gets no answer; takes no memory. */
    private void giveUp(DataCall data) {
        if (data.writeBehind) {
            // It was answered with success.
            queue(data).keepError(Status.OTHER, data.call.peer);
        }
        data.disconnect();
        for (int i = data.moves.size() - 1; i >= 0; i--) {
            DataMove move = data.moves.get(i);
            if (!move.underWay) {
                data.moves.remove(i);
                memory.free(move.memory);
            }
        }
        if (data.moves.isEmpty()) {
            finish(data);
        }
    }

    private void start(DataCall data) {
        try {
            startNow(data);
        } catch (RuntimeException | OutOfMemoryError e) {
            recover(data, e);
        }
    }

    private void startNow(DataCall data) {
        if (data.over || !data.moves.isEmpty()) {
            return;
        }
        for (int i = 0; i < data.depth && data.nextMessage < data.messages; i++) {
            DataMove move = memory.allocate(data);
            if (move == null) {
                if (i == 0) {
                    starve(data);
                    return;
                }
                break;
            }
            data.moves.add(move);
            next(move);
        }
        if (data.messages == 0) {
            finish(data);
        }
    }

    /** A call waits for memory, unless its client has gone: no pool gives memory for that one. */
    private void starve(DataCall data) {
        if (isGone(data)) {
            data.dead = true;
            finish(data);
        } else {
            starved.addLast(data);
        }
    }

    /** Gives a buffer its next message, or frees it. */
    private void next(DataMove move) {
        DataCall data = move.owner;
        if (data.dead || data.nextMessage == data.messages) {
            data.moves.remove(move);
            memory.free(move.memory);
            if (data.moves.isEmpty()) {
                finish(data);
            }
            return;
        }
        move.carry(data.nextMessage, data.messageBytes(data.nextMessage));
        data.nextMessage++;
        if (data.writing) {
            move.underWay = true;
            data.call.clock.toLink();
            outlet.receive(move);
        } else if (data.isGood()) {
            onDisk(move);
        } else {
            zero(move);
        }
    }

    private void zero(DataMove move) {
        workers.accept(new DataMove.Zeroing(move, zeroed));
        move.underWay = true;
        move.owner.call.clock.toDisk();
    }

    private void zeroed(DataMove move) {
        move.underWay = false;
        move.owner.call.clock.fromDisk(0);
        try {
            ready(move);
        } catch (RuntimeException | OutOfMemoryError e) {
            recover(move.owner, e);
        }
    }

    private FileQueue queue(DataCall data) {
        return Objects.requireNonNull(data.queue);
    }

    private void onDisk(DataMove move) {
        DataCall data = move.owner;
        FileOperation[] own = new FileOperation[1];
        FileOperation operation =
                FileOperation.moving(
                        data.writing,
                        data.pieces(move),
                        () -> onDiskOver(move, Objects.requireNonNull(own[0])));
        own[0] = operation;
        operation.seesEnd = !data.writing && queue(data).unwritten > 0;
        if (data.writing) {
            appends.written(queue(data), operation.end);
        }
        queues.submit(queue(data), operation);
        move.underWay = true;
        data.call.clock.toDisk();
    }

    private void onDiskOver(DataMove move, FileOperation operation) {
        move.underWay = false;
        move.owner.call.clock.fromDisk(operation.diskNs);
        try {
            fromDisk(move, operation);
        } catch (RuntimeException | OutOfMemoryError e) {
            recover(move.owner, e);
        }
    }

    private void fromDisk(DataMove move, FileOperation operation) {
        DataCall data = move.owner;
        if (operation.status != Status.OK) {
            if (data.writing) {
                appends.failed(queue(data), data);
            }
            if (data.writeBehind) {
                FileQueue queue = queue(data);
                queue.keepError(operation.status, data.call.peer);
                queue.handErrorTo(queues.errors);
            } else {
                data.fail(operation.status);
            }
        }
        data.count(operation.pieces);
        if (data.writing) {
            next(move);
        } else if (operation.ended) {
            ready(move);
        } else {
            zero(move);
        }
    }

    /** Sends messages in their order; reads may end in another order. */
    private void ready(DataMove move) {
        DataCall data = move.owner;
        move.ready = true;
        for (DataMove other = data.takeSendable(); other != null; other = data.takeSendable()) {
            if (data.dead) {
                next(other);
            } else {
                other.underWay = true;
                data.call.clock.toLink();
                outlet.send(other);
            }
        }
        if (data.nextToSend == data.messages && !data.dead) {
            // The reply is posted after the last message, so it arrives after that message.
            answer(data);
        }
    }

    /** Frees the memory of unfinished calls, after the end of all threads. */
    void freeAll() {
        memory.freeAll();
    }

    /** Handles a message that was sent or received, or that failed. */
    void moved(DataMove move, ErrorCode outcome, long sizeBytes) {
        move.underWay = false;
        move.owner.call.clock.fromLink();
        try {
            movedNow(move, outcome, sizeBytes);
        } catch (RuntimeException | OutOfMemoryError e) {
            recover(move.owner, e);
        }
    }

    private void movedNow(DataMove move, ErrorCode outcome, long sizeBytes) {
        DataCall data = move.owner;
        boolean whole = outcome == ErrorCode.SUCCESS;
        if (!whole) {
            failed(data, outcome);
        } else if (data.writing) {
            data.arrived++;
            if (sizeBytes != move.message.byteSize()) {
                data.fail(Status.INVAL);
            }
        }
        if (whole && data.writing && data.isGood()) {
            move.ready = true;
        } else {
            next(move);
        }
        if (data.writing) {
            writeReady(data);
        }
    }

    /**
     * Writes messages that have arrived. The stage may hear of a message before it hears of the one
     * before. A worker's pass posts a receive that completes at once, while an earlier completion
     * is still with the poller or on the ring.
     */
    private void writeReady(DataCall data) {
        for (DataMove move = data.takeReady(); move != null; move = data.takeReady()) {
            if (data.isGood()) {
                onDisk(move);
            } else {
                next(move);
            }
        }
        if (data.isGood() && data.allArrived()) {
            answerBehind(data);
        }
    }

    private void failed(DataCall data, ErrorCode code) {
        if (data.outlives(code)) {
            return;
        }
        data.dead = true;
        // A part of the data has moved, so the client would take a reply for data.
        data.call.lost(code);
        // Messages that are ready are neither sent nor written any more.
        for (DataMove other = data.takeReady(); other != null; other = data.takeReady()) {
            next(other);
        }
        if (code == ErrorCode.ETIMEDOUT) {
            counters.silent();
        }
    }

    /** Answers a write before it is in the file, if the request asks for that and there is room. */
    private void answerBehind(DataCall data) {
        long total = data.transfer.totalBytes();
        if (data.call.request().hints().has(Hints.WRITE_BEHIND)
                && !data.endsBeyondAllFiles()
                && queues.errors.hasRoom(data.call.peer)
                && unwrittenBytes + total <= writeBehindBytes) {
            unwrittenBytes += total;
            data.writeBehind = true;
            queue(data).unwritten++;
            answer(data);
        }
    }

    private void answer(DataCall data) {
        if (data.answered) {
            return;
        }
        data.answered = true;
        try {
            owner.reply(data.call, data.reply());
        } catch (RuntimeException | OutOfMemoryError e) {
            ServerLog.failed(Fault.DATA_ANSWER, e);
            if (!data.call.replied) {
                data.disconnect();
                owner.abandon(data.call);
            }
        }
    }

    private void finish(DataCall data) {
        if (data.over) {
            return;
        }
        data.over = true;
        // A write may have been answered before its bytes were in the file.
        Operation operation = data.writing ? Operation.WRITE : Operation.READ;
        try {
            counters.moved(operation, data.movedBytes());
        } finally {
            try {
                answerOrAbandon(data);
            } finally {
                free(data);
            }
        }
    }

    private void answerOrAbandon(DataCall data) {
        if (data.dead && !data.answered) {
            data.answered = true;
            owner.abandon(data.call);
        } else {
            answer(data);
        }
    }

    /** Gives back what a call had. */
    private void free(DataCall data) {
        FileQueue queue = data.queue;
        if (queue != null) {
            if (data.writeBehind) {
                unwrittenBytes -= data.transfer.totalBytes();
                queue.unwritten--;
            }
            appends.over(data);
            queue.calls--;
            queues.settle(queue);
        }
        admission.release(data);
        owner.over(data.call);
    }
}

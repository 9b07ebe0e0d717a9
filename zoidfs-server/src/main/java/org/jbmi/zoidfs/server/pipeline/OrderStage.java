package org.jbmi.zoidfs.server.pipeline;

import com.lmax.disruptor.EventHandler;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.LongestMessage;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.ServerReport;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileTree;
import org.jbmi.zoidfs.server.files.SharedPointers;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The first stage and owner of all state: it decodes requests, decides which call may begin, and
 * gathers operations into batches. It waits only for room in the ring of the posting stage.
 *
 * <p>Its thread takes events from the ring. The poller may run the stage for one pass, if none of
 * its events is in the ring ({@link #enter}). So may a worker with a result ({@link #worked}).
 */
final class OrderStage implements EventHandler<Inbound>, DataFlow.Owner {
    private final FileTree tree;
    private final Decoder decoder;
    private final Dialect dialect;
    private final Feed feed;
    private final Outlet outlet;
    private final FileQueues queues;
    private final Appends appends;
    private final DataFlow data;
    private final Turns turns;
    private final SharedPointers pointers;
    private final ServerCounters counters;
    private final Supplier<String> report;
    private final Consumer<Call> letGo;

    private final Call.Threads threads = new Call.Threads();

    /** Calls whose turn has come. */
    private final IntrusiveQueue<Call> beginning = new IntrusiveQueue<>();

    /** Held by the thread that runs the stage now. */
    private final ReentrantLock turn = new ReentrantLock();

    private final AtOnce atOnce;

    /** How many events of the poller the stage has taken from the ring; guarded by the turn. */
    private long polledEvents;

    private boolean inBegin;
    private boolean isEnded;

    OrderStage(
            Bmi bmi,
            ExportRoot root,
            Dialect dialect,
            Limits limits,
            Feed feed,
            Outlet outlet,
            ServerCounters counters,
            Supplier<String> report,
            Consumer<DiskTask> workers,
            AtOnce atOnce,
            Consumer<Call> letGo) {
        this.tree = new FileTree(root);
        this.decoder = new Decoder(bmi, root);
        this.dialect = dialect;
        this.feed = feed;
        this.outlet = outlet;
        this.counters = counters;
        this.report = report;
        this.letGo = letGo;
        this.atOnce = atOnce;
        this.turns = new Turns(4 * limits.workers(), workers);
        this.queues = new FileQueues(root, counters, limits.workers(), turns::add, atOnce::run);
        this.appends = new Appends(root, queues);
        this.data = new DataFlow(bmi, outlet, queues, appends, limits, workers, counters, this);
        this.pointers = new SharedPointers(limits.sharedPointers());
    }

    @Override
    public void onEvent(Inbound event, long sequence, boolean endOfBatch) {
        turn.lock();
        try {
            beginTurn();
            take(event);
            if (endOfBatch) {
                goOn();
            }
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void onTimeout(long sequence) {
        turn.lock();
        beginTurn();
        leave();
    }

    private boolean tryTurn() {
        return !turn.hasQueuedThreads() && turn.tryLock();
    }

    private void beginTurn() {
        outlet.beginTurn();
        atOnce.beginTurn();
    }

    /** Handles an event, unless the stage has ended: it holds no reference and no memory then. */
    private void take(Inbound event) {
        try {
            if (!isEnded) {
                handle(event);
            } else if (event.message != null) {
                decoder.giveBack(event.message);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            ServerLog.failed(Fault.EVENT, e);
        } finally {
            if (event.polled) {
                polledEvents++;
            }
            event.clear();
        }
    }

    /**
     * Takes a turn for the poller, which {@link #leave} ends.
     *
     * @param given how many events the poller has put on the ring
     * @return false if one of them still waits there, or another thread runs the stage or waits to
     */
    boolean enter(long given) {
        if (!tryTurn()) {
            return false;
        }
        if (polledEvents != given) {
            turn.unlock();
            return false;
        }
        beginTurn();
        return true;
    }

    /** Handles a request, in a turn of the poller. */
    void request(Call call, MemorySegment message, ErrorCode outcome) {
        if (!isEnded) {
            taken(call, message, outcome);
        }
    }

    private void taken(Call call, MemorySegment message, ErrorCode outcome) {
        try {
            decoder.decode(call, message, outcome);
            arrived(call);
        } catch (RuntimeException | OutOfMemoryError e) {
            // The thread of the client may have an earlier call, which must not get this answer.
            call.dropPeer();
            refuse(call, e);
        }
    }

    /** Handles a message of data that was sent or received, or failed, in a turn of the poller. */
    void moved(DataMove move, ErrorCode outcome, long sizeBytes) {
        if (!isEnded) {
            data.moved(move, outcome, sizeBytes);
        }
    }

    /**
     * Handles the result of a worker in a turn of its own, unless another thread runs the stage.
     * Results need no order, because operations that depend on them have not begun.
     *
     * @return false if the worker must use the ring
     */
    boolean worked(DiskTask task) {
        if (!tryTurn()) {
            return false;
        }
        try {
            beginTurn();
            if (!isEnded) {
                task.done();
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            ServerLog.failed(Fault.EVENT, e);
        } finally {
            leave();
        }
        return true;
    }

    /** Ends a turn. */
    void leave() {
        try {
            goOn();
        } finally {
            turn.unlock();
        }
    }

    /**
     * Ends the stage, when its threads have ended or are stuck: gives back the references and the
     * memory that it holds.
     *
     * @param freesMemory false if a worker may still use it
     * @return false if a thread still runs the stage
     */
    boolean end(boolean freesMemory, long waitMs) throws InterruptedException {
        if (!turn.tryLock(waitMs, TimeUnit.MILLISECONDS)) {
            return false;
        }
        try {
            isEnded = true;
            pointers.close();
            queues.errors.close();
            atOnce.close();
            if (freesMemory) {
                data.freeAll();
            }
            return true;
        } finally {
            turn.unlock();
        }
    }

    private void handle(Inbound event) {
        switch (event.kind) {
            case REQUEST ->
                    taken(
                            Objects.requireNonNull(event.call),
                            Objects.requireNonNull(event.message),
                            event.outcome);
            case MOVED ->
                    data.moved(Objects.requireNonNull(event.move), event.outcome, event.sizeBytes);
            case WORKED -> Objects.requireNonNull(event.task).done();
            case TICK -> {}
        }
    }

    private void goOn() {
        if (isEnded) {
            return;
        }
        try {
            for (DataMove move = feed.poll(); move != null; move = feed.poll()) {
                data.moved(move, move.outcome, move.sizeBytes);
            }
            // Posts that complete at once let the next calls begin.
            do {
                data.admit();
                turns.start();
                queues.flush();
                // Operations that have their files for themselves now.
                turns.start();
            } while (tookResults());
            queues.tidy();
        } catch (RuntimeException | OutOfMemoryError e) {
            ServerLog.failed(Fault.TURN, e);
        }
    }

    private boolean tookResults() {
        boolean some = false;
        for (DataMove move = outlet.poll(); move != null; move = outlet.poll()) {
            data.moved(move, move.outcome, move.sizeBytes);
            some = true;
        }
        return some;
    }

    private void arrived(Call call) {
        if (threads.mayBegin(call)) {
            begin(call);
        }
    }

    /**
     * Begins a call. If it is answered at once, the next call of the same thread begins too. This
     * is a loop, because recursion would need a stack as deep as the queue is long.
     */
    private void begin(Call call) {
        beginning.addLast(call);
        if (inBegin) {
            return;
        }
        inBegin = true;
        try {
            for (Call next = beginning.poll(); next != null; next = beginning.poll()) {
                beginOne(next);
            }
        } finally {
            inBegin = false;
        }
    }

    private void beginOne(Call call) {
        try {
            beginOrThrow(call);
        } catch (RuntimeException | OutOfMemoryError e) {
            refuse(call, e);
        }
    }

    /** Answers a call that fails inside the server. */
    private void refuse(Call call, Throwable reason) {
        ServerLog.failed(Fault.REQUEST_RUN, reason);
        if (!call.replied) {
            if (call.operation() == Operation.READ || call.operation() == Operation.WRITE) {
                // The data of this call does not move, so its client would wait for messages.
                call.dropPeer();
            }
            try {
                reply(call, Reply.status(Status.OTHER));
            } catch (RuntimeException | OutOfMemoryError e) {
                call.dropPeer();
                if (!call.replied) {
                    abandon(call);
                }
            }
            over(call);
        }
    }

    private void beginOrThrow(Call call) {
        if (call.question != Call.Question.NONE) {
            send(
                    call,
                    call.question == Call.Question.REPORT
                            ? ServerReport.reply(report.get())
                            : LongestMessage.reply(data.longestMessage(call)));
            over(call);
            return;
        }
        Operation operation = call.operation();
        if (operation == Operation.READ || operation == Operation.WRITE) {
            // The data moves, whatever is wrong with the request.
            data.arrived(call);
            return;
        }
        if (call.status != Status.OK || operation == null || operation == Operation.NULL) {
            reply(call, Reply.status(call.status));
            over(call);
            return;
        }
        FileQueue queue = queues.ofExclusive(call.request());
        if (queue != null) {
            TreeTask task = new TreeTask(call);
            queues.submit(queue, FileOperation.exclusive(task, () -> done(task, queue)));
        } else if (operation != Operation.GET_ATTR || !answersAtOnce(call)) {
            turns.add(call, new TreeTask(call));
        }
    }

    private boolean answersAtOnce(Call call) {
        long begin = System.nanoTime();
        call.clock.toDisk();
        Reply reply = atOnce.attributes(call.request());
        call.clock.fromDisk(System.nanoTime() - begin);
        if (reply != null) {
            answer(call, reply);
        }
        return reply != null;
    }

    private void answer(Call call, Reply reply) {
        boolean hinted = dialect.repliesHints(call.request().operation());
        reply(call, hinted ? pointers.apply(call.peer, call.request(), reply) : reply);
        over(call);
    }

    private void done(TreeTask task, @Nullable FileQueue queue) {
        if (task.hasTurn) {
            turns.over();
            task.call.clock.fromDisk(task.tookNs);
        }
        try {
            doneOrThrow(task, queue);
        } catch (RuntimeException | OutOfMemoryError e) {
            refuse(task.call, e);
        }
    }

    private void doneOrThrow(TreeTask task, @Nullable FileQueue queue) {
        Call call = task.call;
        Reply reply = task.reply;
        Operation operation = call.request().operation();
        if (queue != null && operation == Operation.RESIZE && reply.status() == Status.OK) {
            appends.resized(queue, call.request().number());
        }
        if (queue != null && operation == Operation.COMMIT) {
            int stored = queues.takeError(queue);
            if (stored != Status.OK) {
                reply = Reply.status(stored);
            }
        }
        answer(call, reply);
    }

    @Override
    public void reply(Call call, Reply reply) {
        Operation operation = call.operation();
        byte[] bytes = reply.toByteArray(operation == null ? Operation.NULL : operation, dialect);
        call.answered(reply, counters);
        send(call, bytes);
    }

    private void send(Call call, byte[] bytes) {
        call.replied = true;
        outlet.reply(call, bytes);
        // The reply comes first: the next call of this client's thread begins after it.
        nextOf(call);
    }

    private void nextOf(Call call) {
        Call next = threads.next(call);
        if (next != null) {
            begin(next);
        }
    }

    @Override
    public void abandon(Call call) {
        letGo.accept(call);
        nextOf(call);
        counters.abandoned();
    }

    @Override
    public void over(Call call) {
        letGo.accept(call);
    }

    /** Runs an operation in a worker. */
    private final class TreeTask extends DiskTask {
        private final Call call;
        private Reply reply = Reply.status(Status.OTHER);
        private long tookNs;
        private boolean hasTurn;

        TreeTask(Call call) {
            this.call = call;
        }

        @Override
        Call call() {
            return call;
        }

        @Override
        void begin() {
            hasTurn = true;
            call.reserve(outlet.room());
            call.clock.toDisk();
        }

        @Override
        void run(SystemCalls calls) {
            long begin = System.nanoTime();
            try {
                reply = tree.run(calls, call.request(), call.listBytes());
            } catch (RuntimeException | Error e) {
                ServerLog.failed(Fault.REQUEST, e);
            }
            tookNs = System.nanoTime() - begin;
        }

        @Override
        void done() {
            OrderStage.this.done(this, null);
        }
    }
}

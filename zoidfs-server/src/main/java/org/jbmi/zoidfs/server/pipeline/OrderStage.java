package org.jbmi.zoidfs.server.pipeline;

import com.lmax.disruptor.EventHandler;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.LongestMessage;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.ServerReport;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileTree;
import org.jbmi.zoidfs.server.files.SharedPointers;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The first stage, which owns all state: what a request says, who may begin, what must wait for
 * what, what goes into one batch. It waits for nothing but room on the ring to the posting stage,
 * which never waits.
 *
 * <p>Its thread takes events from the ring. The poller, when none of its events is there, and a
 * worker that is done take a turn too: they are the stage from {@link #enter} to {@link #leave}.
 */
final class OrderStage implements EventHandler<Inbound>, DataFlow.Owner {
    /** One thread of one client, which has one call at a time. */
    private record Line(long peer, int tag) {}

    private final ExportRoot root;
    private final FileTree tree;
    private final Decoder decoder;
    private final Dialect dialect;
    private final Feed feed;
    private final Outlet outlet;
    private final Lanes lanes;
    private final Appends appends;
    private final DataFlow data;
    private final Turns turns;
    private final SharedPointers pointers;
    private final ServerCounters counters;
    private final Supplier<String> report;
    private final Consumer<DiskTask> workers;
    private final Consumer<Call> letGo;

    /** Calls under way, each with later calls of the same thread. */
    private final Map<Line, Deque<Call>> lines = new HashMap<>();

    /** Calls whose turn has come. */
    private final Queue<Call> beginning = new ArrayDeque<>();

    /** Held by the thread that runs the stage now. */
    private final ReentrantLock turn = new ReentrantLock();

    private final AtOnce atOnce;

    /** How many events of the poller were taken from the ring; for the thread that has the turn. */
    private long polledEvents;

    private boolean inBegin;
    private long nextLookNs;
    private boolean looking;

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
        this.root = root;
        this.tree = new FileTree(root);
        this.decoder = new Decoder(bmi, root);
        this.nextLookNs = System.nanoTime() + lookNs();
        this.dialect = dialect;
        this.feed = feed;
        this.outlet = outlet;
        this.counters = counters;
        this.report = report;
        this.workers = workers;
        this.letGo = letGo;
        this.atOnce = atOnce;
        this.lanes = new Lanes(root, counters, limits.workers(), workers, atOnce::run);
        this.appends = new Appends(root, lanes);
        this.data = new DataFlow(bmi, outlet, lanes, appends, limits, workers, counters, this);
        this.turns = new Turns(4 * limits.workers());
        this.pointers = new SharedPointers(limits.sharedPointers());
    }

    @Override
    public void onEvent(Inbound event, long sequence, boolean endOfBatch) {
        turn.lock();
        try {
            beginTurn();
            guarded(() -> handle(event));
            if (event.polled) {
                polledEvents++;
            }
            event.clear();
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

    private static void guarded(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            ServerLog.failed("An event could not be handled", e);
        }
    }

    /**
     * Takes a turn for the poller, which {@link #leave} ends.
     *
     * @param given how many events the poller has put on the ring
     * @return false if one of them waits there still, or the stage's own thread is at work or wants
     *     to be
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

    /** A request arrived, in a turn of the poller. */
    void request(Call call, MemorySegment message, ErrorCode outcome) {
        guarded(() -> taken(call, message, outcome));
    }

    private void taken(Call call, MemorySegment message, ErrorCode outcome) {
        decoder.decode(call, message, outcome);
        arrived(call);
    }

    /** A message of data was sent or received, or cannot be, in a turn of the poller. */
    void moved(DataMove move, ErrorCode outcome, long sizeBytes) {
        guarded(() -> data.moved(move, outcome, sizeBytes));
    }

    /**
     * Takes a turn for a worker, unless the stage runs. Results need no order, since operations
     * that depend on them have not begun.
     *
     * @return false if the worker must tell by the ring
     */
    boolean worked(DiskTask task) {
        if (!tryTurn()) {
            return false;
        }
        try {
            beginTurn();
            guarded(task::done);
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
        try {
            for (Feed.Result result = feed.poll(); result != null; result = feed.poll()) {
                data.moved(result.move(), result.outcome(), result.sizeBytes());
            }
            // Posts that complete at once let the next calls begin.
            do {
                data.admit();
                for (Call call = turns.next(); call != null; call = turns.next()) {
                    workers.accept(new TreeTask(call, true));
                }
                lanes.flush();
            } while (tookResults());
            lookAtOpenFiles();
        } catch (RuntimeException | OutOfMemoryError e) {
            ServerLog.failed("The ordering stage could not go on", e);
        }
    }

    private boolean tookResults() {
        boolean some = false;
        for (Feed.Result result = outlet.poll(); result != null; result = outlet.poll()) {
            data.moved(result.move(), result.outcome(), result.sizeBytes());
            some = true;
        }
        return some;
    }

    private long lookNs() {
        return TimeUnit.MILLISECONDS.toNanos(root.idleFileMs());
    }

    /** From time to time a worker closes files that no call uses. */
    private void lookAtOpenFiles() {
        long now = System.nanoTime();
        if (!looking && now - nextLookNs >= 0 && root.openFiles() > 0) {
            looking = true;
            workers.accept(new Look());
        }
    }

    private void arrived(Call call) {
        Line line = new Line(call.peer.id(), call.tag);
        Deque<Call> behind = lines.get(line);
        if (behind != null) {
            behind.add(call);
            return;
        }
        lines.put(line, new ArrayDeque<>(0));
        begin(call);
    }

    /**
     * Begins a call. A call that is answered at once lets the next of its thread begin. A loop does
     * that, since recursion would need a stack as deep as the queue is long.
     */
    private void begin(Call call) {
        beginning.add(call);
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

    /** Whatever fails in the server, the client gets an answer. */
    private void refuse(Call call, Throwable reason) {
        ServerLog.failed("A request could not be run", reason);
        if (!call.replied) {
            if (call.operation() == Operation.READ || call.operation() == Operation.WRITE) {
                // It was not admitted, so its data is not moved: its client is out of step.
                call.dropPeer();
            }
            reply(call, Reply.status(Status.OTHER));
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
            // Its data moves, whatever is wrong with it.
            data.arrived(call);
            return;
        }
        if (call.status != Status.OK || operation == null || operation == Operation.NULL) {
            reply(call, Reply.status(call.status));
            over(call);
            return;
        }
        Lane lane = laneOf(call.request());
        if (lane != null && mustHaveFileAlone(operation, lane)) {
            TreeTask task = new TreeTask(call, false);
            lanes.submit(lane, LaneOperation.exclusive(task, () -> done(task, lane)));
        } else if (operation != Operation.GET_ATTR || !isToldAtOnce(call)) {
            turns.add(call);
        }
    }

    private boolean isToldAtOnce(Call call) {
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
        reply(call, hinted ? pointers.apply(call.request(), reply) : reply);
        over(call);
    }

    private @Nullable Lane laneOf(Request request) {
        FileHandle handle = request.handle();
        return handle == null ? null : lanes.find(handle);
    }

    /** Operations that must see earlier writes, or must not overtake them. */
    private static boolean mustHaveFileAlone(Operation operation, Lane lane) {
        return operation == Operation.COMMIT || operation == Operation.RESIZE || lane.unwritten > 0;
    }

    private void done(TreeTask task, @Nullable Lane lane) {
        try {
            doneOrThrow(task, lane);
        } catch (RuntimeException | OutOfMemoryError e) {
            refuse(task.call, e);
        }
    }

    private void doneOrThrow(TreeTask task, @Nullable Lane lane) {
        Call call = task.call;
        call.clock.fromDisk(task.tookNs);
        Reply reply = task.reply;
        Operation operation = call.request().operation();
        if (lane != null && operation == Operation.RESIZE && reply.status() == Status.OK) {
            appends.resized(lane, call.request().number());
        }
        if (lane != null && operation == Operation.COMMIT) {
            int stored = lanes.takeStored(lane);
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
        tell(call, operation, reply);
        send(call, bytes);
    }

    private void tell(Call call, @Nullable Operation operation, Reply reply) {
        Call.Clock clock = call.clock;
        clock.stop();
        counters.answered(
                operation, reply.status(), clock.queueNs(), clock.diskNs(), clock.linkNs());
        LongList sizes = reply.sizes();
        call.record(reply.status(), sizes == null ? 0 : sizes.sum());
    }

    private void send(Call call, byte[] bytes) {
        call.replied = true;
        outlet.reply(call, bytes);
        // The next answer to this thread of the client is posted behind the reply.
        nextOf(call);
    }

    private void nextOf(Call call) {
        Line line = new Line(call.peer.id(), call.tag);
        Deque<Call> behind = lines.get(line);
        Call next = behind == null ? null : behind.poll();
        if (next == null) {
            lines.remove(line);
        } else {
            begin(next);
        }
    }

    @Override
    public void abandon(Call call) {
        counters.abandoned();
        letGo.accept(call);
        nextOf(call);
    }

    @Override
    public void over(Call call) {
        letGo.accept(call);
    }

    /** Closes files that nobody uses. */
    private final class Look extends DiskTask {
        @Override
        void run(SystemCalls calls) {
            root.closeUnused(calls);
        }

        @Override
        void done() {
            looking = false;
            nextLookNs = System.nanoTime() + lookNs();
        }
    }

    /** Runs an operation in a worker. */
    private final class TreeTask extends DiskTask {
        private final Call call;
        private final boolean byTurn;
        private Reply reply = Reply.status(Status.OTHER);
        private long tookNs;

        TreeTask(Call call, boolean byTurn) {
            this.call = call;
            this.byTurn = byTurn;
            call.reserve(outlet.room());
            call.clock.toDisk();
        }

        @Override
        void run(SystemCalls calls) {
            long begin = System.nanoTime();
            try {
                reply = tree.run(calls, call.request(), call.listBytes);
            } catch (RuntimeException | Error e) {
                ServerLog.failed("A worker failed on a request", e);
            }
            tookNs = System.nanoTime() - begin;
        }

        @Override
        void done() {
            if (byTurn) {
                turns.over();
                OrderStage.this.done(this, laneOf(call.request()));
            }
        }
    }
}

package org.jbmi.shipper.server;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.OutgoingPool;
import org.jbmi.shipper.pump.Pump;
import org.jbmi.shipper.pump.Timed;
import org.jbmi.shipper.pump.TimedList;
import org.jbmi.shipper.pump.Work;
import org.jbmi.shipper.watch.ServerCounters;
import org.jbmi.shipper.watch.ShipperEvents;
import org.jbmi.shipper.wire.Wire;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** A server: its functions, and its calls in their order. The pump's lock guards its state. */
public final class ServerCore implements Work {
    private static final long NS_PER_MS = 1_000_000;

    private final ServerSettings settings;
    private final Pump pump;
    private final OutgoingPool outgoing;
    private final ServerCounters counters;
    private final ShipperEvents events = new ShipperEvents();
    private final SessionManager sessionManager;
    private final MessageReceiver receiver;
    private final Memory memory;
    private final Answers answers;
    private final Admission admission;
    private final TimedList<Timed.Place> timed = new TimedList<>(Timed.Place::tick);
    private final Functions functions;
    private final ThreadFactory handlers;

    /**
     * Calls that may run, in the program's threads, or short ones in the pump's own thread. It has
     * room for all: a queue that finds no memory to grow loses its content.
     */
    private final ArrayDeque<ServerCall> runnable;

    /**
     * Whether there are some; read without the lock, so that a poll that finds none does not take
     * it.
     */
    private volatile boolean anyRunnable;

    /** Whether one of them may take long: then no message is held back to send answers first. */
    private volatile boolean anyLong;

    /** The calls under way; an answered one until its output is fetched. */
    private final TimedList<ServerCall> underWay = new TimedList<>(ServerCall::tick);

    private final Runnable releasing;

    private long transfers;
    private boolean started;
    private boolean closed;
    private boolean closeBegun;

    /** Makes a server that does not listen yet. */
    public ServerCore(Bmi bmi, ServerSettings settings, ThreadFactory handlers) {
        this.settings = settings;
        this.counters = new ServerCounters(bmi.counters());
        this.handlers = handlers;
        this.runnable = new ArrayDeque<>(settings.maxRunning());
        this.outgoing = new OutgoingPool(Wire.REPLY_BYTES + settings.maxOutputBytes());
        this.admission = new Admission(settings);
        this.pump = new Pump(bmi, settings.clock(), this);
        this.functions = new Functions(pump);
        this.sessionManager = new SessionManager(this);
        this.receiver = new MessageReceiver(this, sessionManager);
        this.memory = new Memory(this);
        this.answers = new Answers(this);
        this.releasing = receiver::release;
    }

    /** Begins to receive calls. */
    public void start() {
        try (var _ = pump.held()) {
            if (started || closed) {
                return;
            }
            receiver.open();
            if (settings.ownThreads()) {
                startThread();
            }
            started = true;
        }
    }

    private void startThread() {
        try {
            pump.start("shipper-server", 0);
        } catch (RuntimeException | Error e) { // the system has no thread for it
            receiver.close();
            throw e;
        }
    }

    /** The pump that makes its progress. */
    public Pump pump() {
        return pump;
    }

    /** The functions that clients may call. */
    public Functions functions() {
        return functions;
    }

    ServerSettings settings() {
        return settings;
    }

    OutgoingPool outgoing() {
        return outgoing;
    }

    ServerCounters counters() {
        return counters;
    }

    TimedList<Timed.Place> timed() {
        return timed;
    }

    Admission admission() {
        return admission;
    }

    /** The memory for calls. */
    public Memory memory() {
        return memory;
    }

    /** The part that answers calls. */
    public Answers answers() {
        return answers;
    }

    ShipperEvents events() {
        return events;
    }

    long nextTransfer() {
        transfers = transfers + 1 & Wire.MAX_NUMBER;
        return transfers;
    }

    // ------------------------------------------------------------------ calls

    /** Queues a call that passed all checks. */
    void admit(ServerCall call) {
        underWay.add(call);
        if (call.function().isImmediate()) {
            call.handlerOver = true;
            try {
                Outgoing answer = call.function().run(call);
                answers.postOrFail(call, answer);
            } catch (Exception | Error e) {
                answers.failBy(call, e);
            }
            return;
        }
        call.event(events.beginServed());
        admission.offer(call);
        dispatch();
    }

    private void dispatch() {
        ServerCall call = admission.next();
        while (call != null) {
            if (!settings.ownThreads() || mayRunHere(call)) {
                runnable.addLast(call);
                anyRunnable = true;
                if (!call.function().isShort(call.input())) {
                    anyLong = true;
                }
            } else {
                runElsewhere(call);
            }
            call = admission.next();
        }
    }

    private void runElsewhere(ServerCall call) {
        try {
            Thread thread = handlers.newThread(() -> run(call));
            call.runner = thread;
            thread.start();
        } catch (RuntimeException | Error e) { // the system has no thread for it
            int code = ErrorCode.ENOMEM.negativeValue();
            try {
                answers.fail(call, code, "The server has no thread for the handler.");
            } finally {
                returned(call);
            }
        }
    }

    /** Whether this thread receives calls, and the handler will not wait in it. */
    private boolean mayRunHere(ServerCall call) {
        return call.inputHandle() == null
                && pump.isOwnThread()
                && call.function().isShort(call.input());
    }

    @Override
    public void afterRound() {
        boolean mine = settings.ownThreads() && pump.isOwnThread() && anyRunnable;
        if (!mine || runShort()) {
            receiver.release();
        }
    }

    /** Runs short handlers; false if one took long, and another thread drives now. */
    private boolean runShort() {
        ServerCall call = takeRunnable();
        boolean drives = true;
        while (drives && call != null) {
            long code = pump.beginCode();
            try {
                run(call);
            } finally {
                Thread.interrupted(); // it was for the handler
                drives = pump.endCode(code);
            }
            call = drives && anyRunnable ? takeRunnable() : null;
        }
        return drives;
    }

    /**
     * Receives calls and runs them in this thread.
     *
     * @param timeoutMs how long to wait for the first one
     */
    public int process(long timeoutMs) {
        long endNs = timeoutMs == 0 ? 0 : System.nanoTime() + timeoutMs * NS_PER_MS;
        long idleMs = 0;
        while (true) {
            pump.driveOnce(idleMs);
            if (anyLong && receiver.isHolding()) {
                pump.whileDriving(releasing);
            }
            int count = runAll();
            if (receiver.isHolding()) {
                pump.whileDriving(releasing); // answers are sent first
            }
            long leftNs = timeoutMs == 0 ? 0 : endNs - System.nanoTime();
            boolean over = leftNs <= 0 || pump.isClosed() || Thread.currentThread().isInterrupted();
            if (count > 0 || over) {
                return count;
            }
            idleMs = Math.min(10, (leftNs + NS_PER_MS - 1) / NS_PER_MS);
        }
    }

    private int runAll() {
        int count = 0;
        ServerCall call = anyRunnable ? takeRunnable() : null;
        while (call != null) {
            run(call);
            count++;
            call = anyRunnable ? takeRunnable() : null;
        }
        return count;
    }

    private @Nullable ServerCall takeRunnable() {
        try (var _ = pump.held()) {
            ServerCall call = runnable.poll();
            while (call != null && pump.isOwnThread() && !mayRunHere(call)) {
                runElsewhere(call); // it is not short any more: another call of the function hangs
                dispatch(); // if there was no thread for it, its place is free
                call = runnable.poll();
            }
            if (call != null && pump.isOwnThread()) {
                call.runner = Thread.currentThread();
            }
            if (runnable.isEmpty()) {
                anyRunnable = false;
                anyLong = false;
            }
            return call;
        }
    }

    private void run(ServerCall call) {
        Outgoing answer = null;
        try {
            if (call.abandoned() == 0) {
                memory.pullInput(call);
                call.stage(ServerCall.Stage.RUNNING);
                answer = call.function().run(call);
            }
        } catch (Exception | Error e) { // any failure ends this call only
            answers.failBy(call, e);
        } finally {
            handlerOver(call, answer);
        }
    }

    private void handlerOver(ServerCall call, @Nullable Outgoing answer) {
        try (var _ = pump.held()) {
            try {
                answers.postOrFail(call, answer);
            } finally {
                try {
                    returned(call);
                } finally {
                    dispatch();
                }
            }
        }
    }

    /** Whatever becomes of the answer, the place is free. */
    private void returned(ServerCall call) {
        call.runner = null;
        call.handlerOver = true;
        admission.release(call);
        if (call.session().isOver()) {
            sessionManager.outlived(call.session());
        }
        answers.handlerOver(call);
    }

    /** Defers the answer to other code; only while the handler runs. */
    public void defer(ServerCall call) {
        try (var _ = pump.held()) {
            call.deferred = true;
        }
    }

    // ------------------------------------------------------------------ progress and the end

    /** A call is over on both sides. */
    void retire(ServerCall call) {
        underWay.remove(call);
    }

    /** Removes a waiting call; true if no thread will run it. */
    boolean withdraw(ServerCall call) {
        admission.withdraw(call);
        return call.runner == null && !runnable.contains(call);
    }

    @Override
    public int peek() {
        return receiver.peek();
    }

    @Override
    public boolean look() {
        return receiver.look();
    }

    @Override
    public boolean isQuiet() {
        return timed.isEmpty() && underWay.isEmpty() && memory.isQuiet();
    }

    @Override
    public void tick(long nowNs) {
        timed.tick(nowNs);
        underWay.tick(nowNs);
        memory.tick();
    }

    @Override
    public boolean isBusy() {
        return true;
    }

    @Override
    public void lost(int code) {
        closed = true;
        sessionManager.endAll(code, "The messaging instance was closed.");
    }

    /** Whether it opens no session and takes no call any more; under the lock. */
    boolean isClosed() {
        return closed;
    }

    SessionManager sessionManager() {
        return sessionManager;
    }

    void countMoved(boolean push, long bytes) {
        (push ? counters.pushedBytes : counters.pulledBytes).add(bytes);
    }

    /** The calls under way, oldest first, without introspection calls. */
    public List<ServerCall> underWay() {
        try (var _ = pump.held()) {
            List<ServerCall> all = underWay.copy();
            all.removeIf(call -> call.function().isImmediate());
            return all;
        }
    }

    /** Whether clients may ask for the calls under way and the counters. */
    public boolean hasIntrospection() {
        return settings.introspection();
    }

    /**
     * Says goodbye to the clients, abandons calls, waits for handlers, and closes. It takes each
     * step even if one before it fails.
     */
    public void close() {
        try (var _ = pump.held()) {
            if (closeBegun) {
                return;
            }
            closeBegun = true;
            closed = true;
        }
        try {
            locked(sessionManager::sayGoodbye);
            pump.driveUntil(() -> outgoing.inUse() == 0, Math.min(settings.closeWaitMs(), 500));
        } finally {
            closeCalls();
        }
    }

    private void closeCalls() {
        int code = ErrorCode.EPIPE.negativeValue();
        try {
            locked(() -> sessionManager.endAll(code, "The server closes."));
            pump.driveUntil(() -> admission.running() == runnable.size(), settings.closeWaitMs());
        } finally {
            closePump();
        }
    }

    private void closePump() {
        try {
            locked(receiver::close);
        } finally {
            try {
                pump.close(settings.closeWaitMs()); // no transfer moves bytes from here on
            } finally {
                freeMemory();
            }
        }
    }

    private void freeMemory() {
        try {
            pump.whileDriving(releasing);
        } finally {
            locked(
                    () -> {
                        try {
                            underWay.forEach(answers::endTransfersOf);
                        } finally {
                            try {
                                memory.tick();
                            } finally {
                                outgoing.close(pump.bmi());
                            }
                        }
                    });
        }
    }

    private void locked(Runnable step) {
        try (var _ = pump.held()) {
            step.run();
        }
    }
}

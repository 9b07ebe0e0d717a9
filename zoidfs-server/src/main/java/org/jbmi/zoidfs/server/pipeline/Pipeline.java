package org.jbmi.zoidfs.server.pipeline;

import com.lmax.disruptor.EventFactory;
import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.TimeoutBlockingWaitStrategy;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.ReplyRoom;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** All stages of one server, from the poller to the workers. Safe for use by any thread. */
public final class Pipeline implements AutoCloseable {
    private static final int RING_SLOTS = 4_096;

    /** How long a result without a slot may wait; see {@link Feed}. */
    private static final long LOOK_MS = 50;

    private static final long END_MS = 5_000;

    private final ExportRoot root;
    private final ServerCounters counters;
    private final CompletionContext context;
    private final Set<Call> calls = ConcurrentHashMap.newKeySet();
    private final ReplyRoom room;
    private final Disruptor<Inbound> in;
    private final Disruptor<Outbound> out;
    private final Workers workers;
    private final OrderStage order;
    private final Poller poller;
    private final Thread pollerThread;

    /** Starts the stages of a server that listens already. */
    public Pipeline(
            Bmi bmi,
            ExportRoot root,
            SystemCalls systemCalls,
            Dialect dialect,
            Limits limits,
            ServerCounters counters) {
        this.root = root;
        this.counters = counters;
        ServerLog.load();
        room = new ReplyRoom(limits.replyBytes());
        context = bmi.openContext();
        in = disruptor(Inbound::new);
        // Several threads may run the ordering stage, one at a time.
        out = disruptor(Outbound::new);
        Feed feed = new Feed(in.getRingBuffer());
        PostStage posts = new PostStage(context, limits.clientIdleMs(), feed, this::letGo);
        workers = new Workers(feed);
        AtOnce atOnce = new AtOnce(root, systemCalls.forOtherThread(), workers::submit);
        order =
                new OrderStage(
                        bmi,
                        root,
                        dialect,
                        limits,
                        feed,
                        new Outlet(out.getRingBuffer(), posts, room),
                        counters,
                        this::report,
                        workers::submit,
                        atOnce,
                        this::letGo);
        // Before the threads, since it may fail.
        try {
            poller = new Poller(bmi, context, feed, order, calls, limits.calls(), this::letGo);
        } catch (RuntimeException e) {
            context.close();
            atOnce.close();
            throw e;
        }
        // One thread decodes and orders: with two, each event would have to wake both.
        in.handleEventsWith(order);
        out.handleEventsWith(posts);
        out.start();
        in.start();
        workers.start(limits.workers(), root, systemCalls, order::worked);
        pollerThread = Thread.ofPlatform().name("zoidfs-poller").daemon().start(poller::run);
    }

    private static <T> Disruptor<T> disruptor(EventFactory<T> factory) {
        ThreadFactory threads = Thread.ofPlatform().name("zoidfs-stage-", 0).daemon().factory();
        Disruptor<T> made =
                new Disruptor<>(
                        factory,
                        RING_SLOTS,
                        threads,
                        ProducerType.MULTI,
                        new TimeoutBlockingWaitStrategy(LOOK_MS, TimeUnit.MILLISECONDS));
        made.setDefaultExceptionHandler(new Reporting<>());
        return made;
    }

    /** After an exception a stage continues with the next event. */
    private static final class Reporting<T> implements ExceptionHandler<T> {
        @Override
        public void handleEventException(Throwable failure, long sequence, T event) {
            ServerLog.failed(Fault.STAGE, failure);
        }

        @Override
        public void handleOnStartException(Throwable failure) {
            ServerLog.failed(Fault.STAGE_START, failure);
        }

        @Override
        public void handleOnShutdownException(Throwable failure) {
            ServerLog.failed(Fault.STAGE_END, failure);
        }
    }

    /** One of the two users of a call releases it; the last one drops the client's reference. */
    private void letGo(Call call) {
        if (call.letGo()) {
            end(call);
        }
    }

    private void end(Call call) {
        boolean isOurs = true;
        try {
            isOurs = calls.remove(call); // not if the close has ended it
        } finally {
            // Also if the set could not count it for want of memory: it is not there any more.
            if (isOurs) {
                giveBack(call);
            }
        }
    }

    private void giveBack(Call call) {
        call.leave(room);
        try {
            call.peer.release();
        } catch (BmiException e) {
            // The server is closing, or the peer was removed.
        } finally {
            poller.ended(call);
        }
    }

    /** The counters and the calls under way, in the text format of Prometheus. */
    public String report() {
        return counters.toPrometheus(calls.size(), root.openFiles(), room.heldBytes());
    }

    /** Requests that are not finished. */
    public int calls() {
        return calls.size();
    }

    /** Whether a thread still waits for a disk, after the close too. */
    public boolean waitsForDisk() {
        return workers.areAlive();
    }

    /**
     * Takes no more requests and waits up to five seconds for calls under way. Then it stops its
     * threads, and gives back the memory and the peers of calls that are not over. A thread that
     * waits for a disk may go on; then the memory of calls stays taken until the BMI is closed. So
     * does memory of which bytes are still on their way.
     */
    @Override
    public void close() {
        poller.stopAccepting();
        boolean interrupted = Thread.interrupted(); // one from before does not cut the close short
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MS);
        while (!calls.isEmpty() && System.nanoTime() < deadline) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                interrupted = true;
                break;
            }
        }
        poller.stop();
        context.close();
        while (!areThreadsEnded()) {
            interrupted = true; // again from the start, since each step was perhaps cut short
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // False if the calling thread was interrupted. Every step has a time limit.
    private boolean areThreadsEnded() {
        try {
            pollerThread.join(END_MS);
            workers.end();
            workers.join();
            endStages();
            if (!order.end(!workers.areAlive(), END_MS)) {
                ServerLog.failed(Fault.STAGE_GOES_ON, TimeoutException.INSTANCE);
            }
            List.copyOf(calls).forEach(this::end);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private void endStages() throws InterruptedException {
        try {
            in.shutdown(END_MS, TimeUnit.MILLISECONDS);
            out.shutdown(END_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            ServerLog.failed(Fault.STAGES_LATE, e);
            in.halt();
            out.halt();
        }
    }
}

package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jspecify.annotations.Nullable;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Attaches remote clients to the engine, in a thread that exists only while clients wait for it. So
 * a slow host does not delay clients that are attached already.
 */
final class LaneAttacher implements ClientAttacher, AutoCloseable {
    private static final int KEEP_S = 5;
    private static final long END_MS = 10_000;

    private final Supplier<PeerAttachment> connector;
    private final Runnable wakeGateway;
    private final long endMs;
    private final Queue<Result> results = new ConcurrentLinkedQueue<>();
    private final ThreadPoolExecutor executor;
    private volatile boolean isClosed;

    LaneAttacher(AttachRequest request, int maxWaiting, Runnable wakeGateway) {
        this(() -> PeerAttachment.connect(request), maxWaiting, wakeGateway, END_MS);
    }

    /** One that attaches in a way of the caller's, and whose close waits no longer than it says. */
    LaneAttacher(
            Supplier<PeerAttachment> connector, int maxWaiting, Runnable wakeGateway, long endMs) {
        this.connector = connector;
        this.wakeGateway = wakeGateway;
        this.endMs = endMs;
        this.executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        KEEP_S,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(maxWaiting),
                        Thread.ofPlatform().daemon().name("zbmi-gateway-attach").factory());
        executor.allowCoreThreadTimeOut(true);
    }

    @Override
    public boolean start(RemoteClient client) {
        try {
            executor.execute(() -> attachAndGoOn(client));
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    // Clients behind this one wait for this thread: there may be no memory for another.
    private void attachAndGoOn(RemoteClient client) {
        try {
            attach(client);
        } catch (OutOfMemoryError | LinkageError e) {
            // The gateway ends the client without an answer.
        }
    }

    private void attach(RemoteClient client) {
        PeerAttachment attachment = null;
        boolean isAnswered = false;
        try {
            attachment = connector.get();
            results.add(new Result(client, attachment, null));
            attachment = null;
            isAnswered = true;
        } catch (BmiException e) {
            isAnswered = results.add(new Result(client, null, e));
        } catch (RuntimeException | Error e) {
            System.getLogger(LaneAttacher.class.getName())
                    .log(System.Logger.Level.WARNING, "a remote client was not attached", e);
            String sentence = "The gateway could not attach its client: " + e + ".";
            BmiException refusal = new BmiException(ErrorCode.EIO, sentence, e);
            isAnswered = results.add(new Result(client, null, refusal));
        } finally {
            end(client, isAnswered, attachment);
        }
    }

    // An attachment that is left could not be handed over for lack of memory.
    private void end(RemoteClient client, boolean isAnswered, @Nullable PeerAttachment left) {
        try {
            if (left != null) {
                left.close();
            }
        } finally {
            if (!isAnswered) {
                client.getsNoAnswer();
            }
            if (isClosed) {
                closeLeft(); // its close did not wait any longer
            } else {
                wakeGateway.run();
            }
        }
    }

    @Override
    public @Nullable Result poll() {
        return results.poll();
    }

    @Override
    public void close() {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(endMs, TimeUnit.MILLISECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            executor.shutdownNow();
            Thread.currentThread().interrupt();
        }
        isClosed = true;
        closeLeft();
    }

    private void closeLeft() {
        for (Result left = results.poll(); left != null; left = results.poll()) {
            PeerAttachment attachment = left.attachment();
            if (attachment != null) {
                attachment.close();
            }
        }
    }
}

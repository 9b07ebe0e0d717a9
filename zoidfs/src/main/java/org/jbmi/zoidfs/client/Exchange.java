package org.jbmi.zoidfs.client;

import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.ServerReport;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.protocol.XdrException;
import org.jbmi.zoidfs.protocol.XdrReader;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * One call on the wire: the request, its data, the reply. All of it is posted at once, a bounded
 * part of the data ahead, and waited for in the thread of the caller.
 */
final class Exchange {
    /** Messages of data that are under way at a time. */
    private static final int WINDOW = 4;

    /**
     * After data that is no longer the reply is waited for at once: it comes behind the data, and a
     * thread that sleeps is woken once.
     */
    private static final long SHORT_BYTES = 64 << 10;

    /** How long after a failure what is still posted is waited for. */
    private static final long LEAVING_MS = 1_000;

    private static final long NS_PER_MS = 1_000_000;

    private final CompletionContext context;
    private final PeerAddress server;
    private final int tag;
    private final long timeoutMs;
    private final PostOptions options;
    private final Deque<Long> pending = new ArrayDeque<>();
    private long answerId;
    private boolean interrupted;

    Exchange(CompletionContext context, PeerAddress server, int tag, long timeoutMs) {
        this.context = context;
        this.server = server;
        this.tag = tag;
        this.timeoutMs = timeoutMs;
        this.options = PostOptions.NONE.withIdleDeadlineMs(timeoutMs);
    }

    /**
     * Runs the call.
     *
     * @param data the memory of a read or write, of the length that the request announces
     */
    Reply run(Request request, @Nullable List<MemorySegment> data, Dialect dialect)
            throws ZoidfsException {
        byte[] bytes = request.toByteArray();
        byte[] reply = new byte[Math.toIntExact(Reply.maximumBytes(request, dialect))];
        Transfer transfer = request.transfer();
        return guarded(
                "The server's reply cannot be understood; does it speak the dialect "
                        + dialect.label()
                        + "?",
                () -> {
                    long answered;
                    boolean isLast = true;
                    if (request.operation() == Operation.READ && data != null && transfer != null) {
                        // Data comes before the reply, so its receives stand before the reply's.
                        send(bytes);
                        move(transfer, data, false);
                        answered = receive(reply);
                        isLast = transfer.totalBytes() > SHORT_BYTES;
                    } else {
                        answered = receive(reply);
                        send(bytes);
                        if (data != null && transfer != null) {
                            move(transfer, data, true);
                        }
                    }
                    MemorySegment text = answer(answered, reply, isLast);
                    return Reply.read(new XdrReader(text), request, dialect);
                });
    }

    /** Asks what the server counted. */
    String report() throws ZoidfsException {
        byte[] reply = new byte[ServerReport.MAX_BYTES];
        return guarded(
                "The server tells nothing of itself; is it one of this project?",
                () -> {
                    long answered = receive(reply);
                    send(ServerReport.request());
                    return ServerReport.text(answer(answered, reply, true));
                });
    }

    /** What is done on the wire, and read from it. */
    private interface Steps<T> {
        T run() throws XdrException;
    }

    private <T> T guarded(String ifNotUnderstood, Steps<T> steps) throws ZoidfsException {
        boolean whole = false;
        try {
            T result = steps.run();
            whole = true;
            return result;
        } catch (BmiException e) {
            int status = e.code() == ErrorCode.ETIMEDOUT ? Status.TIMEOUT : Status.OTHER;
            throw new ZoidfsException(status, "The server did not answer: " + e.getMessage(), e);
        } catch (XdrException e) {
            throw new ZoidfsException(Status.XDR, ifNotUnderstood, e);
        } finally {
            if (!whole) {
                leave();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void send(byte[] request) {
        post(context.postSendUnexpected(server, of(request), tag, 0, null, options));
    }

    /** The reply, which is waited for last, or first where all else is over then. */
    private MemorySegment answer(long answered, byte[] reply, boolean isLast) {
        if (isLast) {
            awaitAll();
        }
        long size = PostResult.isPending(answered) ? await(answered) : answered;
        answerId = 0;
        awaitAll();
        return of(reply).asSlice(0, size);
    }

    private void awaitAll() {
        while (!pending.isEmpty()) {
            awaitFirst();
        }
    }

    private static MemorySegment of(byte[] bytes) {
        return MemorySegment.ofArray(bytes);
    }

    private long receive(byte[] reply) {
        long result = context.postReceive(server, of(reply), tag, null, options);
        if (PostResult.isRefused(result)) {
            throw refused(result);
        }
        answerId = PostResult.isPending(result) ? result : 0;
        return result;
    }

    private static BmiException refused(long result) {
        ErrorCode code = PostResult.refusal(result);
        return new BmiException(code, "the message was refused with " + code.name());
    }

    private void post(long result) {
        if (PostResult.isRefused(result)) {
            throw refused(result);
        }
        if (PostResult.isPending(result)) {
            pending.add(result);
        }
    }

    private void move(Transfer transfer, List<MemorySegment> data, boolean sending) {
        DataCursor cursor = new DataCursor(data);
        long messages = transfer.messages();
        for (long i = 0; i < messages; i++) {
            long size = transfer.messageBytes(i);
            MemorySegment[] parts = cursor.next(size);
            post(
                    sending
                            ? context.postSendList(server, parts, size, tag, null, options)
                            : context.postReceiveList(server, parts, size, tag, null, options));
            while (pending.size() > WINDOW) {
                awaitFirst();
            }
        }
    }

    /** It stays in the list until it is over, so that a failure finds it there. */
    private void awaitFirst() {
        await(pending.element());
        pending.remove();
    }

    /** Waits whatever the thread's interrupt flag says; the time is bounded. */
    private long await(long id) {
        long deadlineNs = System.nanoTime() + 2 * timeoutMs * NS_PER_MS;
        while (true) {
            interrupted |= Thread.interrupted();
            try {
                return context.await(id, timeoutMs);
            } catch (BmiException e) {
                if (e.code() != ErrorCode.EAGAIN || System.nanoTime() > deadlineNs) {
                    throw e;
                }
            }
        }
    }

    /** After a failure: nothing may write into the caller's memory any more. */
    private void leave() {
        if (answerId != 0) {
            pending.add(answerId);
        }
        List<Long> left = new ArrayList<>(pending);
        pending.clear();
        left.forEach(context::cancel);
        for (long id : left) {
            try {
                interrupted |= Thread.interrupted();
                context.await(id, LEAVING_MS);
            } catch (BmiException e) {
                // Each ends with an error of its own, which nobody asks for.
            }
        }
    }
}

package org.jbmi.zoidfs.client;

import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.LongestMessage;
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
 * One call: the request, its data, the reply. It posts the request, the receive of the reply and a
 * limited part of the data without a wait between them. Then the caller's thread waits.
 *
 * <p>It posts short messages without a deadline, and checks their time itself. Over shared memory a
 * message with a deadline would need an answer of the engine. Not thread-safe.
 */
final class Exchange {
    /** How many messages of data are posted besides the one that is awaited. */
    private static final int WINDOW = 4;

    /** Up to this size data has no deadline of its own besides that of the reply. */
    private static final long SHORT_BYTES = 64 << 10;

    /** How long the call waits for posted messages after a failure. */
    private static final long LEAVING_MS = 1_000;

    private static final long NS_PER_MS = 1_000_000;

    private final CompletionContext context;
    private final PeerAddress server;
    private final int tag;
    private final long timeoutMs;

    /** Pending messages of data, the oldest first. */
    private final Deque<Long> pending = new ArrayDeque<>();

    /** The post of the request, or 0 when it is over. */
    private long requestId;

    /** The receive of the reply, or 0 when it is over. */
    private long answerId;

    private boolean interrupted;

    Exchange(CompletionContext context, PeerAddress server, int tag, long timeoutMs) {
        this.context = context;
        this.server = server;
        this.tag = tag;
        this.timeoutMs = timeoutMs;
    }

    /**
     * Runs the call.
     *
     * @param request the request
     * @param bytes the encoded request
     * @param data the memory of a read or write, of the length that the request announces
     * @param dialect the format of the reply
     */
    Reply run(Request request, byte[] bytes, @Nullable List<MemorySegment> data, Dialect dialect)
            throws ZoidfsException {
        byte[] reply = new byte[Math.toIntExact(Reply.maximumBytes(request, dialect))];
        Transfer transfer = request.transfer();
        return guarded(
                "The server's reply cannot be understood; does it speak the dialect "
                        + dialect.label()
                        + "?",
                () -> {
                    MemorySegment text;
                    if (data == null || transfer == null) {
                        text = ask(bytes, reply);
                    } else {
                        boolean sending = request.operation() == Operation.WRITE;
                        Data moved = new Data(transfer, data, sending, options(transfer));
                        text = sending ? write(bytes, moved, reply) : read(bytes, moved, reply);
                    }
                    return Reply.read(new XdrReader(text), request, dialect);
                });
    }

    /** Reads the server's counters. */
    String report() throws ZoidfsException {
        byte[] reply = new byte[ServerReport.MAX_BYTES];
        return guarded(
                "The server does not report its counters; is it one of this project?",
                () -> ServerReport.text(ask(ServerReport.request(), reply)));
    }

    /** Asks for the longest message of the server; 0 if it does not answer that. */
    long longestMessage() throws ZoidfsException {
        byte[] reply = new byte[LongestMessage.REPLY_BYTES];
        return guarded(
                "The server's reply cannot be understood",
                () -> LongestMessage.bytes(ask(LongestMessage.request(), reply)));
    }

    /** The posts of a call, and the decoding of its reply. */
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
            boolean late = e.code() == ErrorCode.ETIMEDOUT || e.code() == ErrorCode.EAGAIN;
            int status = late ? Status.TIMEOUT : Status.OTHER;
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

    /** The messages of data of a call, and how many of them were posted. */
    private static final class Data {
        final Transfer transfer;
        final boolean sending;
        final long messages;
        final DataCursor cursor;
        final PostOptions options;
        long posted;

        Data(Transfer transfer, List<MemorySegment> regions, boolean sending, PostOptions options) {
            this.transfer = transfer;
            this.sending = sending;
            this.messages = transfer.messages();
            this.cursor = new DataCursor(regions);
            this.options = options;
        }
    }

    private static boolean isShort(Transfer transfer) {
        return transfer.totalBytes() <= SHORT_BYTES;
    }

    /** Long messages have an idle deadline. */
    private PostOptions options(Transfer transfer) {
        return isShort(transfer)
                ? PostOptions.NONE
                : PostOptions.NONE.withIdleDeadlineMs(timeoutMs);
    }

    private MemorySegment ask(byte[] request, byte[] reply) {
        long answered = receive(reply);
        send(request);
        return answer(answered, reply);
    }

    /** Data comes before the reply, so its receives are posted before the reply's. */
    private MemorySegment read(byte[] request, Data data, byte[] reply) {
        // A receive that is posted before its message comes needs no answer of the engine.
        post(data, Math.min(data.messages, WINDOW + 1));
        boolean isAllPosted = data.posted == data.messages;
        long answered = isAllPosted ? receive(reply) : 0;
        send(request);
        post(data, data.messages);
        return answer(data, isAllPosted ? answered : receive(reply), reply);
    }

    private MemorySegment write(byte[] request, Data data, byte[] reply) {
        long answered = receive(reply);
        send(request);
        post(data, data.messages);
        return answer(data, answered, reply);
    }

    private void send(byte[] request) {
        long result =
                checked(
                        context.postSendUnexpected(
                                server, of(request), tag, 0, null, PostOptions.NONE));
        requestId = PostResult.isPending(result) ? result : 0;
    }

    private long receive(byte[] reply) {
        long result = checked(context.postReceive(server, of(reply), tag, null, PostOptions.NONE));
        answerId = PostResult.isPending(result) ? result : 0;
        return result;
    }

    private void post(Data data, long until) {
        for (; data.posted < until; data.posted++) {
            while (pending.size() > WINDOW) {
                awaitFirst();
            }
            long size = data.transfer.messageBytes(data.posted);
            MemorySegment[] parts = data.cursor.next(size);
            long result =
                    checked(
                            data.sending
                                    ? context.postSendList(
                                            server, parts, size, tag, null, data.options)
                                    : context.postReceiveList(
                                            server, parts, size, tag, null, data.options));
            if (PostResult.isPending(result)) {
                pending.add(result);
            }
        }
    }

    /**
     * The reply comes after the data and is awaited first, so that a sleeping thread is woken once.
     */
    private MemorySegment answer(Data data, long answered, byte[] reply) {
        boolean isShort = isShort(data.transfer);
        MemorySegment text = null;
        while (text == null) {
            try {
                text = answer(answered, reply);
            } catch (BmiException e) {
                if (e.code() != ErrorCode.EAGAIN || isShort || pending.isEmpty()) {
                    throw e;
                }
                // Long data has its own deadline; a stalled message has ended with it.
                awaitFirst();
            }
        }
        awaitAll();
        return text;
    }

    private MemorySegment answer(long answered, byte[] reply) {
        awaitRequest();
        long size = PostResult.isPending(answered) ? await(answered, timeoutMs) : answered;
        answerId = 0;
        return of(reply).asSlice(0, size);
    }

    /** Comes before all other waits: if the request fails, no other message arrives. */
    private void awaitRequest() {
        if (requestId != 0) {
            await(requestId, timeoutMs);
            requestId = 0;
        }
    }

    private void awaitAll() {
        while (!pending.isEmpty()) {
            awaitFirst();
        }
    }

    /** The message stays in the list until it is over, so that {@link #leave} finds it. */
    private void awaitFirst() {
        awaitRequest();
        // A long message has an idle deadline, which ends it earlier.
        await(pending.element(), 2 * timeoutMs);
        pending.remove();
    }

    private static MemorySegment of(byte[] bytes) {
        return MemorySegment.ofArray(bytes);
    }

    private static long checked(long result) {
        if (PostResult.isRefused(result)) {
            ErrorCode code = PostResult.refusal(result);
            throw new BmiException(code, "the message was refused with " + code.name());
        }
        return result;
    }

    /** Waits even if the thread is interrupted; the time is limited. */
    private long await(long id, long mostMs) {
        long deadlineNs = System.nanoTime() + mostMs * NS_PER_MS;
        long leftMs = mostMs;
        while (true) {
            interrupted |= Thread.interrupted();
            try {
                return context.await(id, leftMs);
            } catch (BmiException e) {
                long leftNs = deadlineNs - System.nanoTime();
                if (e.code() != ErrorCode.EAGAIN || leftNs <= 0) {
                    throw e;
                }
                leftMs = leftNs / NS_PER_MS + 1;
            }
        }
    }

    /** After a failure: cancels everything, so that nothing writes into the caller's memory. */
    private void leave() {
        List<Long> left = new ArrayList<>(pending);
        pending.clear();
        for (long id : new long[] {requestId, answerId}) {
            if (id != 0) {
                left.add(id);
            }
        }
        for (long id : left) {
            try {
                context.cancel(id);
            } catch (BmiException e) {
                // The client was closed, which has cancelled everything.
            }
        }
        for (long id : left) {
            try {
                interrupted |= Thread.interrupted();
                context.await(id, LEAVING_MS);
            } catch (BmiException e) {
                // The caller gets the error of the call.
            }
        }
    }
}

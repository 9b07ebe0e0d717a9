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
import java.util.List;

/**
 * One call: the request, its data, the reply. It posts the request, the receive of the reply and a
 * limited part of the data without a wait between them. Then the caller's thread waits.
 *
 * <p>It posts messages without a deadline, and checks their time itself. Over shared memory a
 * message with a deadline would need an answer of the engine. An idle deadline would also end a
 * message that waits behind others on a slow link.
 *
 * <p>All calls of a client share a connection, and the server may take them in another order. So a
 * wait fails after a time in which no message of the client was over. Messages that are posted
 * later than that time after its begin do not prolong it. So a call without a reply ends, though
 * others go on. Not thread-safe.
 */
final class Exchange {
    /** How many messages of data are posted at a time. They have the first places of the posts. */
    private static final int DATA_PLACES = 5;

    private static final int REQUEST = DATA_PLACES;
    private static final int ANSWER = DATA_PLACES + 1;

    /** How long the call waits for posted messages after a failure. */
    private static final long LEAVING_MS = 1_000;

    /** How often a call that waits looks for messages that are over, within its timeout. */
    private static final int LOOKS = 8;

    private static final long NS_PER_MS = 1_000_000;

    private final CompletionContext context;
    private final PeerAddress server;
    private final int tag;
    private final long timeoutMs;
    private final Traffic traffic;

    /** The results of the posts. An array, so that a full heap loses none of them. */
    private final long[] posts = new long[ANSWER + 1];

    /** When each of them was posted. */
    private final long[] postNs = new long[ANSWER + 1];

    /** Whether a message had fewer bytes than it must have, as those of a refused read may. */
    private boolean isDataShort;

    private boolean interrupted;

    /** The data of the call, if it has any. */
    private @Nullable Data data;

    Exchange(
            CompletionContext context,
            PeerAddress server,
            int tag,
            long timeoutMs,
            Traffic traffic) {
        this.context = context;
        this.server = server;
        this.tag = tag;
        this.timeoutMs = timeoutMs;
        this.traffic = traffic;
    }

    /**
     * Runs the call.
     *
     * @param request the request
     * @param bytes the encoded request
     * @param memory of a read or write, of the length that the request announces
     * @param dialect the format of the reply
     */
    Reply run(Request request, byte[] bytes, @Nullable List<MemorySegment> memory, Dialect dialect)
            throws ZoidfsException {
        byte[] reply = new byte[Math.toIntExact(Reply.maximumBytes(request, dialect))];
        Transfer transfer = request.transfer();
        return guarded(
                "The server's reply cannot be understood; does it speak the dialect "
                        + dialect.label()
                        + "?",
                () -> {
                    MemorySegment text;
                    if (memory == null || transfer == null) {
                        text = ask(bytes, reply);
                    } else {
                        boolean sending = request.operation() == Operation.WRITE;
                        Data moved = new Data(transfer, memory, sending);
                        data = moved;
                        text = sending ? write(bytes, moved, reply) : read(bytes, moved, reply);
                    }
                    Reply told = Reply.read(new XdrReader(text), request, dialect);
                    if (isDataShort && told.status() == Status.OK) {
                        throw new XdrException("A message of data is too short");
                    }
                    return told;
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

    /** The messages of data of a call, how many were posted, and how many are over. */
    private static final class Data {
        final Transfer transfer;
        final boolean sending;
        final long messages;
        final DataCursor cursor;
        long posted;
        long over;

        Data(Transfer transfer, List<MemorySegment> regions, boolean sending) {
            this.transfer = transfer;
            this.sending = sending;
            this.messages = transfer.messages();
            this.cursor = new DataCursor(regions);
        }
    }

    private MemorySegment ask(byte[] request, byte[] reply) {
        receive(reply);
        send(request);
        return answer(reply, timeoutMs);
    }

    /** Data comes before the reply, so its receives are posted before the reply's. */
    private MemorySegment read(byte[] request, Data data, byte[] reply) {
        // A receive that is posted before its message comes needs no answer of the engine.
        post(data, Math.min(data.messages, DATA_PLACES));
        boolean isAllPosted = data.posted == data.messages;
        if (isAllPosted) {
            receive(reply);
        }
        send(request);
        post(data, data.messages);
        if (!isAllPosted) {
            receive(reply);
        }
        return answer(data, reply);
    }

    private MemorySegment write(byte[] request, Data data, byte[] reply) {
        receive(reply);
        send(request);
        post(data, data.messages);
        return answer(data, reply);
    }

    private void send(byte[] request) {
        keep(
                REQUEST,
                context.postSendUnexpected(server, of(request), tag, 0, null, PostOptions.NONE));
    }

    private void receive(byte[] reply) {
        keep(ANSWER, context.postReceive(server, of(reply), tag, null, PostOptions.NONE));
    }

    private void post(Data data, long until) {
        for (; data.posted < until; data.posted++) {
            if (data.posted - data.over == DATA_PLACES) {
                awaitFirst(data);
            }
            long size = data.transfer.messageBytes(data.posted);
            MemorySegment[] parts = data.cursor.next(size);
            keep(
                    place(data.posted),
                    data.sending
                            ? context.postSendList(server, parts, size, tag, null, PostOptions.NONE)
                            : context.postReceiveList(
                                    server, parts, size, tag, null, PostOptions.NONE));
        }
    }

    private static int place(long message) {
        return (int) (message % DATA_PLACES);
    }

    /**
     * The reply comes after the data and is awaited first, so that a sleeping thread is woken once.
     */
    private MemorySegment answer(Data data, byte[] reply) {
        // The data of a write is over once the system has it, so the reply also waits for that.
        MemorySegment text = answer(reply, 2 * timeoutMs);
        while (data.over < data.posted) {
            awaitFirst(data);
        }
        return text;
    }

    private MemorySegment answer(byte[] reply, long mostMs) {
        await(REQUEST, timeoutMs);
        return of(reply).asSlice(0, await(ANSWER, mostMs));
    }

    private void awaitFirst(Data data) {
        // If the request fails, no other message arrives.
        await(REQUEST, timeoutMs);
        endFirst(data, await(place(data.over), timeoutMs));
    }

    private void endFirst(Data data, long sizeBytes) {
        isDataShort |= sizeBytes < data.transfer.messageBytes(data.over);
        data.over++;
    }

    private static MemorySegment of(byte[] bytes) {
        return MemorySegment.ofArray(bytes);
    }

    private void keep(int place, long result) {
        if (PostResult.isRefused(result)) {
            ErrorCode code = PostResult.refusal(result);
            throw new BmiException(code, "the message was refused with " + code.name());
        }
        posts[place] = result;
        postNs[place] = System.nanoTime();
    }

    /**
     * Waits for a post even if the thread is interrupted; the time of silence is limited. Returns
     * the size of its message.
     */
    private long await(int place, long mostMs) {
        long lookMs = Math.max(1, timeoutMs / LOOKS);
        long mostNs = mostMs * NS_PER_MS;
        long beginNs = System.nanoTime();
        long lookedNs = beginNs;
        while (true) {
            long size = awaitFor(place, lookMs);
            if (!PostResult.isPending(size)) {
                return size;
            }
            if (place == ANSWER) {
                takeData();
            }
            long nowNs = System.nanoTime();
            // A look that is late, as after a pause of the program, counts as one in time.
            long sinceNs = lookedNs + Math.min(nowNs - lookedNs, lookMs * NS_PER_MS) - mostNs;
            if (sinceNs - beginNs >= 0 && !traffic.hasEnd(sinceNs, beginNs + mostNs)) {
                throw new BmiException(
                        ErrorCode.ETIMEDOUT, "no message was over for " + mostMs + " ms");
            }
            lookedNs = nowNs;
        }
    }

    /**
     * Ends the messages of data that are over, so that other calls see that the server is there.
     */
    private void takeData() {
        Data moving = data;
        while (moving != null && moving.over < moving.posted) {
            long size = awaitFor(place(moving.over), 0);
            if (PostResult.isPending(size)) {
                return;
            }
            endFirst(moving, size);
        }
    }

    /**
     * Waits for a post. Returns the size of its message, or the post if it is still pending. The
     * post stays in its place until it is over, so that {@link #leave} finds it.
     */
    private long awaitFor(int place, long mostMs) {
        long post = posts[place];
        if (!PostResult.isPending(post)) {
            return post;
        }
        interrupted |= Thread.interrupted();
        try {
            posts[place] = context.await(post, mostMs);
            traffic.end(postNs[place]);
        } catch (BmiException e) {
            if (e.code() != ErrorCode.EAGAIN) {
                throw e;
            }
        }
        return posts[place];
    }

    /**
     * After a failure: cancels everything, so that nothing writes into the caller's memory. This
     * class makes no object here, because the heap may be full.
     */
    private void leave() {
        for (long post : posts) {
            try {
                if (PostResult.isPending(post)) {
                    context.cancel(post);
                }
            } catch (BmiException | OutOfMemoryError e) {
                // A client that was closed has cancelled everything. Or the method found no memory
                // for the cancel; then the post stays, and the next ones are still cancelled.
            }
        }
        for (long post : posts) {
            try {
                interrupted |= Thread.interrupted();
                if (PostResult.isPending(post)) {
                    context.await(post, LEAVING_MS);
                }
            } catch (BmiException | OutOfMemoryError e) {
                // The caller gets the error of the call.
            }
        }
    }
}

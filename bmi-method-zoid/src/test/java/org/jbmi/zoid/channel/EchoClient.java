package org.jbmi.zoid.channel;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Asks an {@link EchoServer} again and again, each time with other bytes. Not thread-safe. */
public final class EchoClient implements AutoCloseable {
    private static final int PATIENCE_MS = 30_000;

    private final CompletionContext context;
    private final Completions done = Completions.ofCapacity(2);
    private final PeerAddress server;
    private final long number;
    private final MemorySegment out = MemorySegment.ofArray(new byte[EchoServer.BYTES]);
    private final MemorySegment in = MemorySegment.ofArray(new byte[EchoServer.BYTES]);
    private long round;

    /**
     * Makes one.
     *
     * @param bmi a client's, of somebody else
     * @param number different for each client
     */
    public EchoClient(Bmi bmi, long number) {
        this.context = bmi.openContext();
        this.server = bmi.lookup("zoid://");
        this.number = number;
    }

    /**
     * One exchange.
     *
     * @return false if the server or the daemon went in the middle
     * @throws AssertionError if what came back is not what went
     */
    public boolean exchange() {
        round++;
        for (int at = 0; at < EchoServer.BYTES; at += 16) {
            out.set(ValueLayout.JAVA_LONG_UNALIGNED, at, number);
            out.set(ValueLayout.JAVA_LONG_UNALIGNED, at + 8, round);
        }
        in.fill((byte) 0);
        // A number of its own for each exchange: what a broken one left behind fits none.
        int tag = (int) (number * 1_000_000 + round);
        long answer = context.postReceive(server, in, tag);
        boolean isAsked =
                !PostResult.isRefused(answer)
                        && isDone(context.postSendUnexpected(server, out.asSlice(0, 16), tag));
        long send =
                isAsked ? context.postSend(server, out, tag) : ErrorCode.ECANCEL.negativeValue();
        if (!areDone(send, answer)) {
            return false;
        }
        if (in.mismatch(out) >= 0) {
            throw new AssertionError(
                    "client %d got in round %d what belongs to client %d, round %d"
                            .formatted(
                                    number,
                                    round,
                                    in.get(ValueLayout.JAVA_LONG_UNALIGNED, 0),
                                    in.get(ValueLayout.JAVA_LONG_UNALIGNED, 8)));
        }
        return true;
    }

    /**
     * Whether both are done; if one fails the other is given up. The server may go after it took
     * the request and before the send is posted, which then waits for a successor that knows
     * nothing of it: only the end of the answer tells.
     */
    private boolean areDone(long send, long answer) {
        long[] ids = {pending(send), pending(answer)};
        boolean isWell = !PostResult.isRefused(send) && !PostResult.isRefused(answer);
        while (isWell && (ids[0] != 0 || ids[1] != 0)) {
            if (context.testSome(ids, 2, done, PATIENCE_MS) == 0) {
                throw new AssertionError("an operation hangs");
            }
            for (int i = 0; i < done.count(); i++) {
                isWell &= done.outcome(i).isSuccess();
                ids[done.index(i)] = 0;
            }
        }
        for (long id : ids) {
            if (id != 0) {
                context.cancel(id);
                isDone(id);
            }
        }
        return isWell;
    }

    private static long pending(long post) {
        return PostResult.isPending(post) ? post : 0;
    }

    private boolean isDone(long post) {
        if (!PostResult.isPending(post)) {
            return post >= 0;
        }
        try {
            return context.await(post, PATIENCE_MS) >= 0;
        } catch (BmiException e) {
            if (e.code() == ErrorCode.EAGAIN) {
                throw new AssertionError("an operation hangs", e);
            }
            return false;
        }
    }

    @Override
    public void close() {
        context.close();
    }
}

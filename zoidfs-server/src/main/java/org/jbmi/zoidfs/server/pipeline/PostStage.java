package org.jbmi.zoidfs.server.pipeline;

import com.lmax.disruptor.EventHandler;

import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The last stage: posts messages of data, and replies. It never waits. While its ring is empty, the
 * ordering stage calls its methods directly.
 */
final class PostStage implements EventHandler<Outbound> {
    private final CompletionContext context;
    private final PostOptions options;
    private final Feed feed;
    private final Consumer<Call> answered;

    PostStage(CompletionContext context, long idleMs, Feed feed, Consumer<Call> answered) {
        this.context = context;
        this.options = PostOptions.NONE.withIdleDeadlineMs(idleMs).withoutWaiting();
        this.feed = feed;
        this.answered = answered;
    }

    @Override
    public void onEvent(Outbound event, long sequence, boolean endOfBatch) {
        if (event.kind == Outbound.Kind.REPLY) {
            answer(Objects.requireNonNull(event.call), Objects.requireNonNull(event.reply));
        } else {
            move(Objects.requireNonNull(event.move), event.kind == Outbound.Kind.SEND);
        }
        event.clear();
    }

    /** Posts a reply. */
    void answer(Call call, byte[] reply) {
        long result = post(call, reply);
        if (!PostResult.isPending(result)) {
            if (PostResult.isRefused(result)) {
                call.lost(PostResult.refusal(result));
            }
            answered.accept(call);
        }
    }

    private long post(Call call, byte[] reply) {
        MemorySegment message;
        try {
            message = MemorySegment.ofArray(reply);
        } catch (OutOfMemoryError e) {
            return ErrorCode.ENOMEM.negativeValue();
        }
        return post(true, call, message, call);
    }

    /** Posts a message of data; the result is that of BMI. */
    long post(boolean sending, DataMove move) {
        return post(sending, move.owner.call, move.message, move);
    }

    private void move(DataMove move, boolean sending) {
        long result = post(sending, move);
        if (PostResult.isCompleted(result)) {
            feed.movedAtOnce(move, ErrorCode.SUCCESS, result);
        } else if (PostResult.isRefused(result)) {
            feed.movedAtOnce(move, PostResult.refusal(result), 0);
        }
    }

    private long post(boolean sending, Call call, MemorySegment message, @Nullable Object subject) {
        PeerAddress peer = call.peer;
        try {
            return sending
                    ? context.postSend(peer, message, call.tag, subject, options)
                    : context.postReceive(peer, message, call.tag, subject, options);
        } catch (BmiException e) {
            // The server is closing, or the peer was removed.
            return ErrorCode.ECANCEL.negativeValue();
        } catch (OutOfMemoryError e) {
            return ErrorCode.ENOMEM.negativeValue();
        }
    }
}

package org.jbmi.tools.demo.forward;

import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * One file on its way, seen from the client: the receive of the reply, which is posted first, the
 * request, and the chunks. The first of them that fails takes the others with it. Not thread-safe.
 */
final class ClientTransfer {
    private final CompletionContext context;
    private final TransferRequest request;
    private final MemorySegment replyMemory;
    private final ChunkPipe pipe;
    private final Single replyReceive = new Single();
    private final Single requestSend = new Single();
    private int failure;
    private @Nullable TransferReply reply;
    private boolean withdrawn;

    /** A post that stands alone. */
    private final class Single implements PostOutcome {
        private long id;
        private boolean over;
        private long sizeBytes;

        private void posted(long result) {
            if (PostResult.isPending(result)) {
                id = result;
            } else {
                completed((int) Math.min(result, 0), Math.max(result, 0));
            }
        }

        @Override
        public void completed(int error, long bytes) {
            over = true;
            sizeBytes = bytes;
            fail(error);
        }

        private void cancel() {
            if (!over) {
                context.cancel(id);
            }
        }
    }

    ClientTransfer(
            CompletionContext context,
            PeerAddress server,
            TransferRequest request,
            ClientMemory memory,
            ChunkEnd end) {
        this.context = context;
        this.request = request;
        replyMemory = memory.reply();
        int tag = 2 * request.file();
        replyReceive.posted(
                context.postReceive(
                        server, replyMemory, tag + ForwardServer.REPLY_TAG_STEP, replyReceive));
        request.encode(memory.request());
        requestSend.posted(
                context.postSendUnexpected(
                        server, memory.request(), tag, 0, requestSend, PostOptions.NONE));
        ChunkPipe.Direction direction =
                request.kind() == TransferRequest.Kind.WRITE
                        ? ChunkPipe.Direction.SENDING
                        : ChunkPipe.Direction.RECEIVING;
        pipe =
                new ChunkPipe(
                        context, server, tag, direction, request, end, memory.chunks(), () -> {});
    }

    /**
     * Does what can be done without waiting.
     *
     * @return true if there is more to do at once
     */
    boolean step() {
        boolean more = pipe.pump();
        fail(pipe.failure());
        readReply();
        if (failure != 0 && !withdrawn) {
            withdraw();
        }
        return more;
    }

    /**
     * Whether the outcome is known and all memory free again.
     *
     * @return true if nothing is under way
     */
    boolean isOver() {
        return pipe.isIdle() && replyReceive.over && requestSend.over;
    }

    /**
     * How far it is.
     *
     * @return bytes of the file that are through
     */
    long finishedBytes() {
        return pipe.finishedBytes();
    }

    /**
     * Looks at the outcome.
     *
     * @throws IOException with a sentence, if the file did not go through whole
     */
    void check() throws IOException {
        readReply();
        IOException fileFailure = pipe.fileFailure();
        if (fileFailure != null) {
            throw fileFailure;
        }
        if (failure != 0) {
            throw new IOException(sentence());
        }
        if (reply == null || reply.movedBytes() != request.sizeBytes()) {
            throw new IOException("The server's answer does not fit the request");
        }
    }

    private void readReply() {
        if (replyReceive.over && reply == null && failure == 0) {
            reply = TransferReply.decode(replyMemory.asSlice(0, replyReceive.sizeBytes));
            fail(reply == null ? ErrorCode.EBADMSG.negativeValue() : reply.status());
        }
    }

    private void withdraw() {
        withdrawn = true;
        pipe.fail(failure);
        pipe.cancel();
        replyReceive.cancel();
        requestSend.cancel();
    }

    private void fail(int code) {
        failure = failure == 0 ? code : failure;
    }

    private String sentence() {
        String what = ErrorCode.statusString(failure);
        if (reply != null && reply.status() != 0) {
            return "The server could not do it (" + what + ")";
        }
        return failure == ErrorCode.EHOSTDOWN.negativeValue()
                ? "The server is gone (" + what + ")"
                : "A message failed (" + what + ")";
    }
}

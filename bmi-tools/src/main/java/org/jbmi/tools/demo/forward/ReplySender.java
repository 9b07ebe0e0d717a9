package org.jbmi.tools.demo.forward;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Sends replies from memory of their own. When a reply is gone its memory is freed, and the
 * reference to the client that came with the request is dropped: last of all, so that the client's
 * death is told as such until then.
 */
final class ReplySender {
    private final Bmi bmi;
    private final CompletionContext context;

    ReplySender(Bmi bmi, CompletionContext context) {
        this.bmi = bmi;
        this.context = context;
    }

    /**
     * Sends a reply. Whether it arrives is the client's concern: one that is gone needs none.
     *
     * @param peer the client
     * @param requestTag the tag of its request
     * @param reply what to tell it
     */
    void send(PeerAddress peer, int requestTag, TransferReply reply) {
        MemorySegment block = peer.allocate(TransferReply.BYTES);
        MemorySegment message =
                block == null
                        ? MemorySegment.ofArray(new byte[TransferReply.BYTES])
                        : block.asSlice(0, TransferReply.BYTES);
        reply.encode(message);
        PostOutcome sent = (error, sizeBytes) -> finish(peer, block);
        int tag = requestTag + ForwardServer.REPLY_TAG_STEP;
        if (!PostResult.isPending(context.postSend(peer, message, tag, sent))) {
            finish(peer, block);
        }
    }

    private void finish(PeerAddress peer, @Nullable MemorySegment block) {
        if (block != null) {
            bmi.free(block);
        }
        peer.release();
    }
}

package org.jbmi.tools.demo.forward;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** Sends replies from memory of their own and frees it when they are gone. */
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
        MemorySegment block = bmi.memalloc(peer, TransferReply.BYTES);
        MemorySegment message =
                block == null
                        ? MemorySegment.ofArray(new byte[TransferReply.BYTES])
                        : block.asSlice(0, TransferReply.BYTES);
        reply.encode(message);
        PostOutcome sent = (error, sizeBytes) -> free(block);
        int tag = requestTag + ForwardServer.REPLY_TAG_STEP;
        if (!PostResult.isPending(context.postSend(peer, message, tag, sent))) {
            free(block);
        }
    }

    private void free(@Nullable MemorySegment block) {
        if (block != null) {
            bmi.memfree(block);
        }
    }
}

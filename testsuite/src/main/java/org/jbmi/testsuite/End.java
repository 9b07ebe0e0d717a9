package org.jbmi.testsuite;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * One side of a pair of peers.
 *
 * @param bmi its instance
 * @param context where its operations are posted
 * @param peer its handle of the other side
 */
public record End(Bmi bmi, CompletionContext context, PeerAddress peer) {
    /**
     * A side with a new context.
     *
     * @param bmi its instance
     * @param peer its handle of the other side
     */
    public End(Bmi bmi, PeerAddress peer) {
        this(bmi, bmi.openContext(), peer);
    }

    /**
     * A side with a new context, which looks the other side up.
     *
     * @param bmi its instance
     * @param address of the other side
     */
    public End(Bmi bmi, String address) {
        this(bmi, bmi.openContext(), bmi.lookup(address));
    }

    /**
     * Sends an expected message to the other side.
     *
     * @param buffer the message
     * @param tag its tag
     * @return the operation
     */
    public Posted send(MemorySegment buffer, int tag) {
        return new Posted(context, context.postSend(peer, buffer, tag));
    }

    /**
     * Sends an expected message with options.
     *
     * @param buffer the message
     * @param tag its tag
     * @param data comes back with the completion
     * @param options deadlines and the like
     * @return the operation
     */
    public Posted send(MemorySegment buffer, int tag, @Nullable Object data, PostOptions options) {
        return new Posted(context, context.postSend(peer, buffer, tag, data, options));
    }

    /**
     * Sends a list as an expected message.
     *
     * @param buffers the message
     * @param tag its tag
     * @return the operation
     */
    public Posted sendList(MemorySegment[] buffers, int tag) {
        return new Posted(
                context,
                context.postSendList(peer, buffers, sum(buffers), tag, null, PostOptions.NONE));
    }

    /**
     * Receives an expected message from the other side.
     *
     * @param buffer room for it
     * @param tag its tag
     * @return the operation
     */
    public Posted receive(MemorySegment buffer, int tag) {
        return new Posted(context, context.postReceive(peer, buffer, tag));
    }

    /**
     * Receives an expected message with options.
     *
     * @param buffer room for it
     * @param tag its tag
     * @param data comes back with the completion
     * @param options deadlines and the like
     * @return the operation
     */
    public Posted receive(
            MemorySegment buffer, int tag, @Nullable Object data, PostOptions options) {
        return new Posted(context, context.postReceive(peer, buffer, tag, data, options));
    }

    /**
     * Receives an expected message into a list.
     *
     * @param buffers room for it
     * @param tag its tag
     * @return the operation
     */
    public Posted receiveList(MemorySegment[] buffers, int tag) {
        return new Posted(
                context,
                context.postReceiveList(peer, buffers, sum(buffers), tag, null, PostOptions.NONE));
    }

    /**
     * Sends an unexpected message to the other side.
     *
     * @param buffer the message
     * @param tag its tag
     * @param messageClass its class
     * @return the operation
     */
    public Posted sendUnexpected(MemorySegment buffer, int tag, int messageClass) {
        return new Posted(
                context,
                context.postSendUnexpected(
                        peer, buffer, tag, messageClass, null, PostOptions.NONE));
    }

    /**
     * Adds up sizes.
     *
     * @param buffers any
     * @return bytes
     */
    public static long sum(MemorySegment[] buffers) {
        long total = 0;
        for (MemorySegment buffer : buffers) {
            total += buffer.byteSize();
        }
        return total;
    }
}

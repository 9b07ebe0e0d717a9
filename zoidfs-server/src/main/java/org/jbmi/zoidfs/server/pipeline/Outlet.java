package org.jbmi.zoidfs.server.pipeline;

import com.lmax.disruptor.RingBuffer;

import org.jbmi.ErrorCode;
import org.jbmi.PostResult;
import org.jbmi.zoidfs.server.files.ReplyRoom;
import org.jspecify.annotations.Nullable;

/**
 * Posts messages for the ordering stage. While the posting stage has nothing to do, it posts in the
 * caller's thread: short messages, and messages whose bytes the peer moves. It gives all others to
 * the posting stage, so that messages keep their order. For the ordering stage only.
 */
final class Outlet {
    /** A longer message that must be copied goes to the posting stage. */
    private static final long MAX_BYTES = 64 << 10;

    /** The most messages to post in one turn of the ordering stage. */
    private static final int MAX_IN_TURN = 512;

    private final RingBuffer<Outbound> ring;
    private final PostStage posts;
    private final ReplyRoom room;
    private final DataMove.Line ended = new DataMove.Line();
    private int left;

    Outlet(RingBuffer<Outbound> ring, PostStage posts, ReplyRoom room) {
        this.ring = ring;
        this.posts = posts;
        this.room = room;
    }

    /** The bound on the memory of replies. */
    ReplyRoom room() {
        return room;
    }

    /** A turn of the ordering stage begins. */
    void beginTurn() {
        left = MAX_IN_TURN;
    }

    /** A buffer whose message was posted here and ended at once, or null. */
    @Nullable DataMove poll() {
        return ended.poll();
    }

    void send(DataMove move) {
        move(Outbound.Kind.SEND, move);
    }

    void receive(DataMove move) {
        move(Outbound.Kind.RECEIVE, move);
    }

    private void move(Outbound.Kind kind, DataMove move) {
        // A receive copies at most the bytes that have arrived early, which are few.
        boolean copies = kind == Outbound.Kind.SEND && !move.owner.call.peer.isPoolShared();
        long copied = copies ? move.message.byteSize() : 0;
        if (!isPostedHere(copied)) {
            long sequence = ring.next();
            Outbound slot = ring.get(sequence);
            slot.kind = kind;
            slot.move = move;
            ring.publish(sequence);
            return;
        }
        long result = posts.post(kind == Outbound.Kind.SEND, move);
        if (PostResult.isCompleted(result)) {
            ended.add(move, ErrorCode.SUCCESS, result);
        } else if (PostResult.isRefused(result)) {
            ended.add(move, PostResult.refusal(result), 0);
        }
    }

    void reply(Call call, byte[] reply) {
        call.replied(room, reply.length);
        if (isPostedHere(reply.length)) {
            posts.answer(call, reply);
            return;
        }
        long sequence = ring.next();
        Outbound slot = ring.get(sequence);
        slot.kind = Outbound.Kind.REPLY;
        slot.call = call;
        slot.reply = reply;
        ring.publish(sequence);
    }

    /** Whether to post here: earlier messages at the posting stage must go first. */
    private boolean isPostedHere(long copiedBytes) {
        if (copiedBytes > MAX_BYTES || left == 0) {
            return false;
        }
        if (ring.getMinimumGatingSequence() != ring.getCursor()) {
            return false;
        }
        left--;
        return true;
    }
}

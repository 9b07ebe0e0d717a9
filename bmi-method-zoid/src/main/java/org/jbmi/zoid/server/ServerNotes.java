package org.jbmi.zoid.server;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.channel.CommandChannel;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.HostKind;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zoid.common.Breakdown;
import org.jbmi.zoid.common.MessagePool;
import org.jbmi.zoid.common.SessionGuard;
import org.jbmi.zoid.common.ZoidAddress;

/**
 * How the server's requests are put into messages, and all but the posts that are calls. Notes wait
 * for nothing: what there is no room for the channel keeps, in order. Where the server hosts the
 * engine, what is asked is answered at once.
 */
final class ServerNotes {
    private static final long NS_PER_MS = 1_000_000;
    private static final long NEGATIVE_CORRELATION = -1;

    /** What an engine that runs needs to answer, on a machine that is busy. */
    private static final long ANSWER_NS = 100 * NS_PER_MS;

    private final CommandChannel channel;
    private final SessionGuard guard;
    private final MessagePool messages;
    private final boolean isHost;
    private volatile boolean isSilent;

    ServerNotes(CommandChannel channel, SessionGuard guard, MessagePool messages) {
        this.channel = channel;
        this.guard = guard;
        this.messages = messages;
        this.isHost = channel.welcome().host() != HostKind.DAEMON;
    }

    /** Whether the server hosts the engine, which then answers at once whatever others do. */
    boolean isHost() {
        return isHost;
    }

    /** Puts a post into a message. */
    static void encodePost(
            ServerOperation slot, Message message, long correlation, NanoClock clock) {
        Operation operation = slot.operation();
        ZoidAddress to = (ZoidAddress) operation.address();
        int kind =
                operation.kind() == OperationKind.SEND
                        ? ServerRequests.POST_SEND
                        : ServerRequests.POST_RECEIVE;
        ServerRequests.post(
                message,
                kind,
                correlation,
                slot.reference(),
                to.session(),
                to.generation(),
                operation.tag(),
                expiryMs(operation, clock),
                operation.sizeBytes());
        long listOffset = Math.max(0, slot.listOffset);
        ServerRequests.place(message, slot.offset, listOffset, slot.listEntries);
    }

    // The daemon minds a deadline as well, since it may match while nobody calls here.
    private static int expiryMs(Operation operation, NanoClock clock) {
        if (!operation.hasDeadline()) {
            return ServerRequests.NEVER;
        }
        long leftMs = operation.remainingNs(clock.nanoTime()) / NS_PER_MS;
        return Math.clamp(leftMs, 0, Integer.MAX_VALUE);
    }

    /** Posts, and what comes of it is news; returns 0, or the code that the operation ends with. */
    int post(ServerOperation slot, NanoClock clock) {
        Message message = messages.takeForNote();
        try {
            encodePost(slot, message, NEGATIVE_CORRELATION, clock);
            int sent = channel.tell(message);
            return sent == PeerChannel.BROKEN ? failureOf(sent) : 0;
        } finally {
            messages.give(message);
        }
    }

    /** The code that an operation ends with whose post was not sent. */
    static int failureOf(int sent) {
        ErrorCode code = sent == PeerChannel.BROKEN ? ErrorCode.EHOSTDOWN : ErrorCode.ETIMEDOUT;
        return code.negativeValue();
    }

    /**
     * Cancels; returns what the engine says, {@link ServerEvents#REQUESTED} if it says nothing for
     * a moment. One that has let such a moment pass is told, and not waited for any more, until it
     * is {@link #heard}: so all cancels together wait no longer than that.
     */
    int askToCancel(long reference, long zoidId) {
        if (isSilent) {
            cancel(reference, zoidId);
            return ServerEvents.REQUESTED;
        }
        Message message = messages.take();
        try {
            ServerRequests.cancel(message, 0, reference, zoidId);
            int sent = channel.call(message, message, ANSWER_NS);
            isSilent = !isHost && sent != PeerChannel.OK;
            if (sent == PeerChannel.NOT_SENT) {
                cancel(reference, zoidId);
            }
            boolean isAnswered =
                    sent == PeerChannel.OK && message.kind() == ServerEvents.CANCEL_REPLY;
            return isAnswered ? ServerEvents.cancelOutcome(message) : ServerEvents.REQUESTED;
        } finally {
            messages.give(message);
        }
    }

    /** The engine has said something. */
    void heard() {
        if (isSilent) {
            isSilent = false;
        }
    }

    /** Cancels, and what comes of it is news. */
    void cancel(long reference, long zoidId) {
        Message message = messages.takeForNote();
        try {
            channel.tell(ServerRequests.cancel(message, NEGATIVE_CORRELATION, reference, zoidId));
        } finally {
            messages.give(message);
        }
    }

    /** Tells the engine to forget everything, and waits until it has, but not for longer. */
    void finish(long timeoutNs) {
        Message message = messages.take();
        try {
            channel.call(ServerRequests.finish(message, 0), message, timeoutNs);
        } finally {
            messages.give(message);
        }
    }

    /** Gives the memory of an unexpected message back. It enters the session itself, and leaves. */
    void unexpectedFree(long offset) {
        if (!guard.enterLocked()) {
            return;
        }
        Message kept = messages.takeLocked();
        guard.unlock();
        Message message = kept == null ? messages.takeForNote() : kept;
        try {
            channel.tell(ServerRequests.unexpectedFree(message, offset));
        } catch (Error e) {
            Breakdown.endOrThrow(channel, e);
        } finally {
            guard.lock();
            messages.giveLocked(message);
            guard.exitLocked();
        }
    }
}

package org.jbmi.zoid.server;

import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zoid.common.MessagePool;

import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Access to an engine in another process: encodes requests into messages and decodes what comes
 * back. Notes never wait: the channel keeps, in order, the notes for which there is no room.
 */
final class MessageDoor implements EngineDoor {
    private static final long NOBODY_WAITS = -1;

    /** How long a running engine needs to answer on a busy machine. */
    private static final long ANSWER_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final PeerChannel channel;
    private final Incoming incoming;
    private final MessagePool messages = new MessagePool(new SpinLock());
    private final SpinLock turn = new SpinLock();
    private boolean isClosed; // guarded by both turn and the monitor

    /** A message of its own: a note must not fail because the heap is full. */
    private final Message note = new Message();

    /**
     * Delivers incoming messages, and notes whether any came since the engine failed to answer in
     * time.
     */
    private static final class Incoming implements PeerEvents {
        private final DoorEvents events;
        private volatile boolean isSilent;

        Incoming(DoorEvents events) {
            this.events = events;
        }

        @Override
        public void onEvent(Message message) {
            if (isSilent) {
                isSilent = false;
            }
            ServerEvents.deliver(message, events); // the channel has checked that it is well formed
        }

        @Override
        public void afterDispatch() {
            events.afterDispatch();
        }

        @Override
        public void onLeadWanted() {
            events.onLeadWanted();
        }

        @Override
        public void onBroken(String reason) {
            events.onBroken(reason);
        }
    }

    /**
     * Opens the channel.
     *
     * @param open opens the channel, given the receiver of its messages
     */
    MessageDoor(DoorEvents events, Function<PeerEvents, PeerChannel> open) {
        this.incoming = new Incoming(events);
        this.channel = open.apply(incoming);
    }

    @Override
    public PeerLine line() {
        return channel;
    }

    @Override
    public int post(ServerPost post, long timeoutNs) {
        post.begin();
        Message message = post.message();
        if (timeoutNs == WITHOUT_WAITING) {
            int told = channel.tell(ServerRequests.post(message, NOBODY_WAITS, post));
            return told == PeerLine.BROKEN ? told : PeerLine.TIMED_OUT;
        }
        int sent = channel.call(ServerRequests.post(message, 0, post), message, timeoutNs);
        if (sent == PeerLine.OK) {
            post.answer(message.kind(), ServerEvents.answer(message));
        }
        return sent;
    }

    /**
     * After an engine failed to answer in time, further cancels are sent without waiting, until it
     * is heard again. So all cancels together wait no longer than one.
     */
    @Override
    public int cancel(long reference, long zoidId, boolean mayWait) {
        if (isOnlyTold(mayWait)) {
            tellCancel(reference, zoidId);
            return ServerEvents.REQUESTED;
        }
        Message message = messages.take();
        try {
            ServerRequests.cancel(message, 0, reference, zoidId);
            int sent = channel.call(message, message, ANSWER_NS);
            incoming.isSilent = sent != PeerLine.OK;
            if (sent == PeerLine.NOT_SENT) {
                tellCancel(reference, zoidId);
            }
            boolean isAnswered = sent == PeerLine.OK && message.kind() == ServerEvents.CANCEL_REPLY;
            return isAnswered ? ServerEvents.cancelOutcome(message) : ServerEvents.REQUESTED;
        } finally {
            messages.give(message);
        }
    }

    private boolean isOnlyTold(boolean mayWait) {
        return !mayWait || incoming.isSilent;
    }

    private synchronized void tellCancel(long reference, long zoidId) {
        channel.tell(ServerRequests.cancel(note, NOBODY_WAITS, reference, zoidId));
    }

    @Override
    public boolean answersAtOnce() {
        return false;
    }

    @Override
    public synchronized void unexpectedFree(long offset) {
        if (!isClosed) {
            channel.tell(ServerRequests.unexpectedFree(note, offset));
        }
    }

    @Override
    public int progress() {
        if (!turn.tryLock()) {
            return 0;
        }
        try {
            return isClosed ? 0 : channel.progress();
        } finally {
            turn.unlock();
        }
    }

    @Override
    public void close(long mostNs) {
        turn.lock();
        synchronized (this) {
            isClosed = true;
        }
        turn.unlock();
        channel.close(mostNs);
    }

    @Override
    public void finish(long timeoutNs) {
        Message message = messages.take();
        try {
            channel.call(ServerRequests.finish(message, 0), message, timeoutNs);
        } finally {
            messages.give(message);
        }
    }
}

package org.jbmi.shipper.client;

import org.jbmi.shipper.pump.Posted;
import org.jbmi.shipper.pump.PostedSet;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.spi.Failures;
import org.jbmi.spi.IntrusiveQueue;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * The receives of a session for messages of the server. They match the messages in the order of
 * their posts. A receive that completes in its post may be reported before an earlier one, so the
 * session gets the messages from here in that order. Guarded by the pump's lock.
 */
final class Inboxes {
    private final ClientSession session;
    private final PostedSet<Inbox> posted = new PostedSet<>();
    private final IntrusiveQueue<Inbox> spare = new IntrusiveQueue<>();

    /** Those whose messages the session has not got, in the order of their posts. */
    private @Nullable Inbox oldest;

    private @Nullable Inbox newest;

    /** A receive for any message of the server. */
    final class Inbox extends Posted {
        final byte[] bytes = new byte[session.core().settings().inboxBytes()];
        private final MemorySegment segment = MemorySegment.ofArray(bytes);
        private @Nullable Inbox next;
        private boolean isOver;
        private int code;
        private long sizeBytes;

        @Override
        protected void done(int outcome, long size) {
            isOver = true;
            code = outcome;
            sizeBytes = size;
            if (isRefused() || ClientCore.isTransient(outcome)) {
                session.arrived(this, outcome, size); // the earlier ones may wait for a long time
            } else {
                handOver();
            }
        }
    }

    Inboxes(ClientSession session) {
        this.session = session;
    }

    /** How many are posted. */
    int size() {
        return posted.size();
    }

    void post() {
        Inbox kept = spare.poll();
        Inbox inbox = kept == null ? new Inbox() : kept;
        posted.add(inbox);
        append(inbox);
        session.core()
                .pump()
                .receive(session.server(), inbox.segment, session.tag(Tags.INBOX), inbox);
    }

    private void append(Inbox inbox) {
        inbox.isOver = false;
        Inbox before = newest;
        if (before == null) {
            oldest = inbox;
        } else {
            before.next = inbox;
        }
        newest = inbox;
    }

    private void handOver() {
        Throwable failure = null;
        Inbox inbox = oldest;
        while (inbox != null && inbox.isOver) {
            oldest = inbox.next;
            inbox.next = null;
            if (oldest == null) {
                newest = null;
            }
            try {
                session.arrived(inbox, inbox.code, inbox.sizeBytes);
            } catch (RuntimeException | Error e) { // the next one may be a reply
                failure = Failures.first(failure, e);
            }
            inbox = oldest;
        }
        Failures.rethrow(failure);
    }

    /** Keeps one whose message was read for another post. */
    void keep(Inbox inbox) {
        spare.addLast(inbox);
    }

    void cancelAll() {
        posted.cancelAll(session.core().pump());
    }
}

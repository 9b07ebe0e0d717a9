package org.jbmi.shipper.client;

import org.jbmi.shipper.pump.Posted;
import org.jbmi.shipper.pump.PostedSet;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.spi.IntrusiveQueue;

import java.lang.foreign.MemorySegment;

/** The receives of a session for messages of the server. Guarded by the pump's lock. */
final class Inboxes {
    private final ClientSession session;
    private final PostedSet<Inbox> posted = new PostedSet<>();
    private final IntrusiveQueue<Inbox> spare = new IntrusiveQueue<>();

    /** A receive for any message of the server. */
    final class Inbox extends Posted {
        final byte[] bytes = new byte[session.core().settings().inboxBytes()];
        private final MemorySegment segment = MemorySegment.ofArray(bytes);

        @Override
        protected void done(int code, long size) {
            session.arrived(this, code, size);
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
        session.core()
                .pump()
                .receive(session.server(), inbox.segment, session.tag(Tags.INBOX), inbox);
    }

    /** Keeps one whose message was read for another post. */
    void keep(Inbox inbox) {
        spare.addLast(inbox);
    }

    void cancelAll() {
        posted.cancelAll(session.core().pump());
    }
}

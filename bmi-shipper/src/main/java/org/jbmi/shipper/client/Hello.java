package org.jbmi.shipper.client;

import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Posted;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;

import java.lang.foreign.MemorySegment;

/**
 * A hello, and the receive of its welcome. A session that is granted too late is closed again.
 * Guarded by the pump's lock.
 */
final class Hello extends Posted {
    private final ClientSession session;
    private final ClientCore core;
    private final BulkHandle.Token nonce;
    private final byte[] bytes = new byte[Wire.LEAST_INBOX_BYTES];

    Hello(ClientSession session) {
        this.session = session;
        this.core = session.core();
        this.nonce = core.randomToken();
    }

    void send(boolean preferredForBulk) {
        ClientSettings settings = core.settings();
        int welcomeTag = Tags.welcome(settings.tagPrefix(), core.randomInt());
        core.pump().receive(session.server(), MemorySegment.ofArray(bytes), welcomeTag, this);
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), Wire.HELLO, preferredForBulk ? Wire.FLAG_BULK : 0, 0, 0);
        message.out().putToken(core.secret());
        message.out().putToken(nonce);
        message.out().putInt(welcomeTag);
        message.out().putInt(settings.inboxBytes());
        session.send(message);
    }

    /** No thread waits for the welcome any more; the server may still send it. */
    void giveUp() {
        if (isPending()) {
            core.lateHellos().add(this);
        }
    }

    /** The session failed, so no welcome will come. */
    void cancel() {
        if (!core.lateHellos().has(this)) {
            core.pump().cancel(this);
        }
    }

    @Override
    protected void done(int code, long size) {
        boolean late = core.lateHellos().remove(this);
        if (code != 0) {
            session.end(code, "The server cannot be reached.");
            return;
        }
        Decoder in = new Decoder();
        in.reset(bytes, 0, (int) size);
        try {
            Welcome welcome = Welcome.read(in, nonce);
            if (!late) {
                session.welcomed(welcome);
            } else if (welcome.status() == 0) {
                session.bye(welcome.session());
            }
        } catch (RuntimeException | Error e) {
            session.unhandled(e);
        }
    }
}

package org.jbmi.zbmi.protocol.handshake;

import static org.jbmi.zbmi.protocol.handshake.HandshakeCodec.getInt;
import static org.jbmi.zbmi.protocol.handshake.HandshakeCodec.getLong;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The bodies of the frames that show the pending operations; see docs/wire/zbmi.md. */
final class OperationsCodec {
    private OperationsCodec() {}

    static AskOperations getAsk(ByteBuffer in) throws HandshakeException {
        int firstSlot = getInt(in);
        if (firstSlot < 0) {
            throw new HandshakeException("a page from slot " + firstSlot);
        }
        return new AskOperations(firstSlot);
    }

    static void put(ByteBuffer out, OperationsPage page) {
        List<OperationsPage.Entry> operations = page.operations();
        if (operations.size() > OperationsPage.MAX_OPERATIONS) {
            throw new IllegalArgumentException(operations.size() + " operations on one page");
        }
        out.putInt(page.nextSlot()).putInt(page.pending()).putLong(page.serverPid());
        out.putInt(operations.size());
        for (OperationsPage.Entry e : operations) {
            out.putLong(e.id()).putInt(e.client()).putLong(e.clientPid());
            out.putInt(e.flags()).putInt(e.reason()).putInt(e.tag());
            out.putLong(e.bytes()).putLong(e.ageNs());
        }
    }

    static OperationsPage getPage(ByteBuffer in) throws HandshakeException {
        int nextSlot = getInt(in);
        int pending = getInt(in);
        long serverPid = getLong(in);
        int count = getInt(in);
        if (count < 0 || count > OperationsPage.MAX_OPERATIONS) {
            throw new HandshakeException("a page of " + count + " operations");
        }
        if (nextSlot < OperationsPage.LAST) {
            throw new HandshakeException("a next page from slot " + nextSlot);
        }
        List<OperationsPage.Entry> operations = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            operations.add(getEntry(in));
        }
        return new OperationsPage(nextSlot, pending, serverPid, operations);
    }

    private static OperationsPage.Entry getEntry(ByteBuffer in) throws HandshakeException {
        long id = getLong(in);
        int client = getInt(in);
        long clientPid = getLong(in);
        int flags = getInt(in);
        int reason = getInt(in);
        int tag = getInt(in);
        long bytes = getLong(in);
        return new OperationsPage.Entry(
                id, client, clientPid, flags, reason, tag, bytes, getLong(in));
    }
}

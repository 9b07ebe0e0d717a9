package org.jbmi.shipper.client;

import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.MalformedException;
import org.jbmi.shipper.wire.Header;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;

/**
 * A server's answer to a hello.
 *
 * @param status 0, or the negative code of a refusal
 * @param why a text, for a refusal
 * @param window how many calls may be under way
 */
record Welcome(long session, int status, String why, int lane, int window) {

    static Welcome read(Decoder in, BulkHandle.Token nonce) {
        Header header = new Header();
        header.read(in);
        if (header.kind() != Wire.WELCOME) {
            throw new MalformedException("A welcome was expected.");
        }
        long session = header.session();
        if (header.number() != 0 || !in.getToken().equals(nonce)) {
            throw new MalformedException("The welcome is not for this hello.");
        }
        int status = in.getInt();
        if (status != 0) {
            return new Welcome(session, status, in.getString(), 0, 0);
        }
        Welcome welcome = new Welcome(session, 0, "", in.getInt(), in.getInt());
        in.end();
        boolean possible =
                welcome.lane >= 1
                        && welcome.lane <= Tags.MAX_LANE
                        && welcome.window >= 1
                        && welcome.window <= 1 << Wire.SLOT_BITS;
        if (!possible) {
            throw new MalformedException("The welcome grants an impossible session.");
        }
        return welcome;
    }
}

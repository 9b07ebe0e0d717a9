package org.jbmi.zbmi.socket;

import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;

/** Events of a link on which nobody says anything and that does not break. */
final class SilentEvents implements PeerEvents {
    @Override
    public void onEvent(Message message) {
        throw new AssertionError("nobody says anything");
    }

    @Override
    public void onBroken(String reason) {
        throw new AssertionError(reason);
    }
}

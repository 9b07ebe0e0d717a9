package org.jbmi.zoid.common;

import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.Message;

/** A channel on which nothing comes by itself, and nobody sleeps. */
public interface QuietChannel extends PeerChannel, QuietLine {
    @Override
    default int tell(Message note) {
        return note(note, 0);
    }

    @Override
    default boolean hasUnsaid() {
        return false;
    }
}

package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;

/**
 * What a {@link PeerChannel} hands to its owner while it dispatches. Called by one thread at a
 * time, under the channel's own lock: be quick, do not wait, and call nothing of the channel but
 * {@link ClientLink#claim}.
 */
public interface PeerEvents extends LineEvents {
    /**
     * A message that answers no call that is still waited for.
     *
     * @param message valid during this call only
     */
    void onEvent(Message message);
}

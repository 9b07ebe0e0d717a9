package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;

/**
 * What a {@link PeerChannel} hands to its owner while it dispatches. Called by one thread at a
 * time, under the channel's own lock: be quick, do not wait, and call nothing of the channel but
 * {@link ClientLink#claim}.
 */
public interface PeerEvents {
    /**
     * A message that answers no call that is still waited for.
     *
     * @param message valid during this call only
     */
    void onEvent(Message message);

    /**
     * Called again and again, with no lock held, by threads that wait inside {@link
     * PeerChannel#call}: to do what must not be done while messages are dispatched, so that it does
     * not wait for their replies. It may send notes, but make no calls.
     */
    default void afterDispatch() {}

    /**
     * The lead, which sleeps elsewhere, must look, and nothing that it waits for there will wake
     * it: another thread has read the byte, or there is something to write. By any thread that is
     * inside the channel, perhaps under the channel's lock.
     */
    default void onLeadWanted() {}

    /**
     * The session has ended without being closed. Called once, by any thread that is inside the
     * channel, perhaps while another one is in {@link #onEvent}.
     *
     * @param reason a sentence
     */
    void onBroken(String reason);
}

package org.jbmi.zbmi.link;

/** Requests and events of a {@link PeerLine} for its owner, besides messages. */
public interface LineEvents {
    /**
     * Called repeatedly, with no lock held, by threads that wait inside a call: for work that is
     * not allowed during dispatch, so that it does not wait for their answers. It may send notes,
     * but make no calls.
     */
    default void afterDispatch() {}

    /**
     * The lead, which sleeps elsewhere, must poll, and nothing it waits for will wake it: another
     * thread has read the wake-up byte, or there is something to write. Called by any thread
     * inside, perhaps under a lock of the line.
     */
    default void onLeadWanted() {}

    /**
     * The session has ended without being closed. Called once, by any thread inside the line,
     * perhaps while another thread dispatches.
     *
     * @param reason a sentence
     */
    void onBroken(String reason);
}

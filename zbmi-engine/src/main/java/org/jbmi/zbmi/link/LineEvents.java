package org.jbmi.zbmi.link;

/** What a {@link PeerLine} asks of its owner, and says of its end, whatever else it says. */
public interface LineEvents {
    /**
     * Called again and again, with no lock held, by threads that wait inside a call: to do what
     * must not be done while news are heard, so that it does not wait for their answers. It may
     * send notes, but make no calls.
     */
    default void afterDispatch() {}

    /**
     * The lead, which sleeps elsewhere, must look, and nothing that it waits for there will wake
     * it: another thread has read the byte, or there is something to write. By any thread that is
     * inside, perhaps under a lock of the line's.
     */
    default void onLeadWanted() {}

    /**
     * The session has ended without being closed. Called once, by any thread that is inside the
     * line, perhaps while another one hears news.
     *
     * @param reason a sentence
     */
    void onBroken(String reason);
}

package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

/** Why a host gives no session to a peer, in words. */
final class Refusals {
    private Refusals() {}

    /** Another process is the host and the server. */
    static BmiException ofSecondServer(long pid) {
        return new BmiException(
                ErrorCode.EBUSY,
                "Process "
                        + pid
                        + " serves here already, and hosts the engine itself: a second server"
                        + " needs another runtime directory.");
    }

    /**
     * The session of the server is in use.
     *
     * @param isServed whether there is a server
     * @param present the connection that has the session, if it is still known
     */
    static BmiException ofServer(boolean isServed, @Nullable Connection present) {
        String who = present == null ? "that is gone" : "process " + present.peer().pid();
        return new BmiException(
                ErrorCode.EBUSY,
                isServed
                        ? "This daemon has a server already (" + who + ")."
                        : "The memory of the last server (" + who + ") is still in use.");
    }

    /**
     * No session of a client is free.
     *
     * @param connections those that have the sessions; null for a session without a client, which
     *     is kept because the server has messages that lie there
     */
    static String noRoom(@Nullable Connection[] connections) {
        int kept = 0;
        for (int i = 1; i < connections.length; i++) {
            kept += connections[i] == null ? 1 : 0;
        }
        String sentence = "This host has no room for another client.";
        return kept == 0
                ? sentence
                : sentence
                        + " Of its "
                        + (connections.length - 1)
                        + " sessions it keeps "
                        + kept
                        + " until the server frees the messages of clients that have gone, or its"
                        + " process has ended.";
    }
}

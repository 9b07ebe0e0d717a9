package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Objects;

/** Why a host gives no session to a peer, in words. */
public final class Refusals {
    /** Names the memory that a daemon lends, at the beginning of a sentence. */
    public static final String LOAN = "The daemon's loan";

    private static final String NO_LOAN = "This host lends no memory";
    private static final String OLD_MEMORY = "The memory of the last server";
    private static final String NO_ROOM = "This host has no room for another client.";

    private Refusals() {}

    /** For a server where another process is both host and server. */
    public static BmiException ofSecondServer(long pid) {
        return new BmiException(
                ErrorCode.EBUSY,
                "Process "
                        + pid
                        + " serves here already, and hosts the engine itself: a second server"
                        + " needs another runtime directory.");
    }

    /**
     * For a server while the session of the server is in use.
     *
     * @param pid the process that has the session; 0 if it is gone
     */
    public static BmiException ofServer(boolean isServed, long pid) {
        String who = pid == 0 ? "that is gone" : "process " + pid;
        return new BmiException(
                ErrorCode.EBUSY,
                isServed
                        ? "This daemon has a server already (" + who + ")."
                        : OLD_MEMORY + " (" + who + ") is still in use.");
    }

    /**
     * For a server that wants to host the engine in memory of a daemon that hosts it itself.
     *
     * @param channel the only command channel of the daemon
     */
    public static BmiException ofLoan(String channel) {
        return new BmiException(
                ErrorCode.EPROTONOSUPPORT,
                (NO_LOAN
                                + ": it hosts the engine itself, and takes commands over %s. Set"
                                + " zoid.host=daemon and zoid.commandChannel=%s.")
                        .formatted(channel, channel));
    }

    /**
     * Refuses a server that wants to host the engine in memory of a host that has none to lend.
     *
     * @param lender null if there is none
     * @throws BmiException if there is none
     */
    public static <T> T requireLender(@Nullable T lender) {
        if (lender == null) {
            throw new BmiException(ErrorCode.EPROTONOSUPPORT, NO_LOAN + ".");
        }
        return lender;
    }

    /**
     * For a client while no session is free. Sessions without a client are kept because the server
     * has messages that lie there.
     *
     * @param peers of the sessions, the server's first; null where there is none
     */
    public static String noRoom(@Nullable Object[] peers) {
        int sessions = peers.length - 1;
        long kept = Arrays.stream(peers).skip(1).filter(Objects::isNull).count();
        return kept == 0
                ? NO_ROOM
                : NO_ROOM
                        + " Of its "
                        + sessions
                        + " sessions it keeps "
                        + kept
                        + " until the server frees the messages of clients that have gone, or its"
                        + " process has ended.";
    }

    /**
     * What is recorded of a refusal: the sentence for the peer, unless it may be another one each
     * time. A log of errors keeps each text once, and so many that peers could fill it.
     */
    public static String recorded(Refused refused) {
        ErrorCode code = refused.asException().code();
        String sentence = refused.sentence();
        if (sentence.startsWith(NO_LOAN)) {
            return sentence;
        }
        if (sentence.startsWith(LOAN)) {
            return LOAN + " cannot be made: " + code + ".";
        }
        return switch (code) {
            case EPROTONOSUPPORT -> "It asked for a transport that this host does not have.";
            case EBUSY ->
                    sentence.startsWith(OLD_MEMORY)
                            ? OLD_MEMORY + " is still in use."
                            : "There is a server already.";
            case ENOBUFS -> NO_ROOM;
            default -> sentence;
        };
    }
}

package org.jbmi.zbmi.daemon.gateway;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Limits on connections that have not sent their hello, for each kind of socket, and on refused
 * ones that may still read the reason. Above a limit the oldest one is closed, so that silent
 * clients cannot keep others out. A client that is about to send its hello may be closed too, and
 * can connect again.
 */
final class GreetingLimits {
    /** Limit of connections without a hello, for each kind of socket. */
    static final int MAX_GREETING = 64;

    /** Limit of refused connections. */
    static final int MAX_PARTING = 16;

    private GreetingLimits() {}

    /**
     * The connection to close for one more connection without a hello.
     *
     * @param clients in the order in which they came
     * @param isUnix the kind of socket
     * @return null if there is room
     */
    static @Nullable RemoteClient tooManyGreeting(List<RemoteClient> clients, boolean isUnix) {
        return first(clients, RemoteClient.State.GREETING, MAX_GREETING, isUnix, !isUnix);
    }

    /** The connection to close for one more refused one; null if there is room. */
    static @Nullable RemoteClient tooManyParting(List<RemoteClient> clients) {
        return first(clients, RemoteClient.State.PARTING, MAX_PARTING, true, true);
    }

    private static @Nullable RemoteClient first(
            List<RemoteClient> clients,
            RemoteClient.State state,
            int most,
            boolean withUnix,
            boolean withTcp) {
        RemoteClient first = null;
        int count = 0;
        for (RemoteClient client : clients) {
            boolean isOfKind = client.isUnix() ? withUnix : withTcp;
            if (isOfKind && client.state() == state && !client.isClosed()) {
                first = first == null ? client : first;
                count++;
            }
        }
        return count < most ? null : first;
    }
}

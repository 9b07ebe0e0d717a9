package org.jbmi.zbmi.daemon.gateway;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * How many may stand at the door: who has not introduced itself yet, for each socket, and who was
 * told to go and may still read why. Where there are too many the one that came first makes room:
 * who says nothing keeps nobody out for good. One that is about to speak can be closed as well,
 * when as many as there is room for come in that moment; it finds the door open when it comes
 * again.
 */
final class GreetingLimits {
    /** Most that have not introduced themselves, for each kind of socket. */
    static final int MAX_GREETING = 64;

    /** Most that were told to go. */
    static final int MAX_PARTING = 16;

    private GreetingLimits() {}

    /**
     * Who must make room for one more that has not introduced itself.
     *
     * @param clients in the order in which they came
     * @param isUnix on which kind of socket
     * @return null if there is room
     */
    static @Nullable RemoteClient tooManyGreeting(List<RemoteClient> clients, boolean isUnix) {
        return first(clients, RemoteClient.State.GREETING, MAX_GREETING, isUnix, !isUnix);
    }

    /** Who must make room for one more that is told to go; null if there is room. */
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

package org.jbmi.zbmi.daemon.gateway;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/** Decides which peers may connect: users by name on the Unix-domain socket, addresses on TCP. */
final class GatewayAccess {
    private final GatewaySettings settings;
    private final PeerCredentials credentials;
    private final String ownUser;

    /**
     * Decides for a gateway.
     *
     * @param ownUser who may always connect, named as the system does it. A user without an entry
     *     has a number for a name there, and another name in the properties of Java
     */
    GatewayAccess(GatewaySettings settings, PeerCredentials credentials, String ownUser) {
        this.settings = settings;
        this.credentials = credentials;
        this.ownUser = ownUser;
    }

    /** Why a peer may not connect; null if it may. */
    @Nullable String refusalOf(SocketChannel channel, boolean isUnix) throws IOException {
        if (isUnix) {
            String user = credentials.userOf(channel);
            boolean isWelcome = user.equals(ownUser) || settings.users().contains(user);
            return isWelcome
                    ? null
                    : "The user %s may not use this gateway; %s names those who may."
                            .formatted(user, GatewayKnobs.USERS.name());
        }
        boolean isWelcome =
                channel.getRemoteAddress() instanceof InetSocketAddress address
                        && settings.ranges().contains(address.getAddress());
        return isWelcome
                ? null
                : "Connections from there are not taken; %s names the addresses that are."
                        .formatted(GatewayKnobs.ALLOW.name());
    }
}

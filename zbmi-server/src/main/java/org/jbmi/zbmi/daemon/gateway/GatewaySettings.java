package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.config.Configuration;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * The settings of a gateway.
 *
 * @param socket path of the Unix-domain socket, empty for none
 * @param users who may use it besides the daemon's own user
 * @param host where TCP listens
 * @param port on which port, negative for no TCP
 * @param ranges from where connections may come
 * @param maxClients how many clients at a time
 * @param stallNs how long a client may stall a transfer
 * @param handshakeNs how long a client may take for its hello
 */
record GatewaySettings(
        String socket,
        Set<String> users,
        String host,
        int port,
        AddressRanges ranges,
        int maxClients,
        long stallNs,
        long handshakeNs) {

    static GatewaySettings of(Configuration knobs, long handshakeNs) {
        Set<String> users = new TreeSet<>();
        Arrays.stream(knobs.get(GatewayKnobs.USERS).split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .forEach(users::add);
        return new GatewaySettings(
                knobs.get(GatewayKnobs.SOCKET).strip(),
                users,
                knobs.get(GatewayKnobs.HOST).strip(),
                knobs.get(GatewayKnobs.PORT).intValue(),
                AddressRanges.parse(knobs.get(GatewayKnobs.ALLOW)),
                knobs.get(GatewayKnobs.MAX_CLIENTS).intValue(),
                TimeUnit.MILLISECONDS.toNanos(knobs.get(GatewayKnobs.STALL_MS)),
                handshakeNs);
    }

    boolean hasUnix() {
        return !socket.isEmpty();
    }

    boolean hasTcp() {
        return port >= 0;
    }
}

package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.config.Knob;

import java.util.List;

/** The knobs of a daemon's gateway. */
public final class GatewayKnobs {
    /** {@link #PORT} for no TCP. */
    public static final int NO_PORT = -1;

    /** The Unix-domain socket. */
    public static final Knob<String> SOCKET =
            Knob.text(
                    "zbmi.gatewaySocket",
                    () -> "",
                    "Path of a Unix-domain socket for clients of other users of"
                            + " this host; empty for none.");

    /** Who may use it. */
    public static final Knob<String> USERS =
            Knob.text(
                    "zbmi.gatewayUsers",
                    () -> "",
                    "Names of the users, with commas between them, that may use"
                            + " zbmi.gatewaySocket besides the daemon's own.");

    /** Where TCP listens. */
    public static final Knob<String> HOST =
            Knob.text(
                    "zbmi.gatewayHost",
                    () -> "127.0.0.1",
                    "Address on which the gateway listens for TCP connections of"
                            + " remote clients.");

    /** On which port. */
    public static final Knob<Long> PORT =
            Knob.number(
                    "zbmi.gatewayPort",
                    "",
                    NO_PORT,
                    NO_PORT,
                    65_535,
                    "Port for TCP connections of remote clients; 0 for any that is free, -1 for"
                            + " no TCP.");

    /** From where they may come. */
    public static final Knob<String> ALLOW =
            Knob.text(
                    "zbmi.gatewayAllow",
                    () -> "127.0.0.0/8,::1/128",
                    "Ranges of addresses, with commas between them, from which the"
                            + " gateway accepts TCP connections.");

    /** How many there may be. */
    public static final Knob<Long> MAX_CLIENTS =
            Knob.number(
                    "zbmi.gatewayMaxClients",
                    "clients",
                    64,
                    1,
                    1000,
                    "The most remote clients at a time; each counts as one of"
                            + " zbmi.maxClients.");

    /** How long one may hold a transfer up. */
    public static final Knob<Long> STALL_MS =
            Knob.millis(
                    "zbmi.gatewayStallMs",
                    60_000,
                    10,
                    86_400_000,
                    "The gateway cuts off a remote client that has begun a transfer"
                            + " and moves nothing for this time.");

    private static final List<Knob<?>> ALL =
            List.of(SOCKET, USERS, HOST, PORT, ALLOW, MAX_CLIENTS, STALL_MS);

    private GatewayKnobs() {}

    /** All of them. */
    public static List<Knob<?>> all() {
        return ALL;
    }
}

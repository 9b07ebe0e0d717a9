package org.jbmi.zoid.storm;

import org.jbmi.BmiBuilder;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Where the engine of a storm runs, and how its clients reach it. */
enum StormSetup {
    DAEMON("daemon", true, false),
    DIRECT("direct", true, false),
    EMBEDDED("embedded", false, false),
    SOCKET("daemon", true, true),
    SOCKET_DIRECT("direct", true, true);

    private static final String GATEWAY = "remote.sock";

    private final String host;
    private final boolean hasDaemon;
    private final boolean hasGateway;

    StormSetup(String host, boolean hasDaemon, boolean hasGateway) {
        this.host = host;
        this.hasDaemon = hasDaemon;
        this.hasGateway = hasGateway;
    }

    /** Whether the short form plays it: hosts and links of the others are in these. */
    boolean isShort() {
        return this == DIRECT || this == SOCKET;
    }

    boolean hasDaemon() {
        return hasDaemon;
    }

    private static Map<String, String> hostKnobs(Path directory) {
        Map<String, String> knobs = new LinkedHashMap<>();
        knobs.put("zoid.runtimeDirectory", runtime(directory).toString());
        knobs.put("zbmi.segmentDirectory", directory.toString());
        knobs.put("zbmi.maxClients", "8");
        knobs.put("zbmi.totalBytes", "8m");
        return knobs;
    }

    static Path runtime(Path directory) {
        return directory.resolve("run");
    }

    Map<String, String> daemonKnobs(Path directory) {
        Map<String, String> knobs = hostKnobs(directory);
        if (hasGateway) {
            knobs.put("zbmi.gatewaySocket", directory.resolve(GATEWAY).toString());
        }
        return knobs;
    }

    BmiBuilder server(BmiBuilder builder, Path directory) {
        builder.knob("zoid.runtimeDirectory", runtime(directory).toString());
        if (!hasDaemon) {
            hostKnobs(directory).forEach(builder::knob);
        }
        return builder.knob("zoid.host", host).listen("zoid://");
    }

    BmiBuilder client(BmiBuilder builder, Path directory) {
        if (hasGateway) {
            builder.knob("zoid.clientLink", "socket");
            builder.knob("zoid.serverAddress", directory.resolve(GATEWAY).toString());
        }
        return builder.knob("zoid.runtimeDirectory", runtime(directory).toString());
    }

    /** How many segments there are while all live: the daemon's, and the one that it lends. */
    int segments() {
        return host.equals("direct") ? 2 : 1;
    }

    /** What is in the directory of the segments beside them. */
    List<String> files() {
        return hasGateway ? List.of(GATEWAY, "run") : List.of("run");
    }

    /** What is in the runtime directory while all live. */
    List<String> runtimeFiles() {
        List<String> files =
                new ArrayList<>(
                        List.of("counters", "daemon.lock", "daemon.pid", "daemon.sock", "errors"));
        if (host.equals("direct")) {
            files.addAll(List.of("server.counters", "server.errors", "server.sock"));
        }
        return files;
    }
}

package org.jbmi.demo;

import org.jbmi.config.Configuration;
import org.jbmi.demo.worker.DemoWorkerMain;
import org.jbmi.demo.worker.ProcessWorker;
import org.jbmi.demo.worker.Worker;
import org.jbmi.demo.worker.WorkerListener;
import org.jbmi.demo.worker.WorkerSettings;
import org.jbmi.tools.cli.PrivateDirectory;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jbmi.zbmi.daemon.gateway.GatewayKnobs;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.socket.SocketClientLinks;
import org.jbmi.zoid.ZoidKnobs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Processes that use zoid, with a daemon of their own or without one. Runtime directory and segment
 * directory are private and temporary. So a demo never meets the user's daemon, and leaves nothing
 * behind even if its own daemon is killed.
 */
final class DaemonWorkers extends Workers {
    private static final String ADDRESS = "zoid://";
    private static final String HOST_KNOB = "zoid.host";
    private static final String SERVER_CHANNEL_KNOB = "zoid.commandChannel";

    private final PrivateDirectory segments;
    private final Configuration configuration;
    private final RuntimeDirectory runtime;
    private long poolBytes;

    /**
     * Makes the directories.
     *
     * @throws IOException if they cannot be made
     * @throws org.jbmi.BmiException if a knob of the daemon has a value that it cannot have
     */
    DaemonWorkers(DemoPlan plan, Path temporary) throws IOException {
        super(plan, temporary);
        try {
            configuration = Configuration.resolve(DaemonKnobs.all(), Map.of());
            Path parent = Path.of(configuration.get(HostKnobs.SEGMENT_DIRECTORY));
            segments = PrivateDirectory.create(parent, HostKnobs.SEGMENT_DIRECTORY.name());
        } catch (IOException | RuntimeException e) {
            directory().close();
            throw e;
        }
        runtime = runtimeDirectory();
    }

    /**
     * Makes a directory with a short path. The path of a socket must be short, and the directory
     * for temporary files may have a long path.
     */
    private RuntimeDirectory runtimeDirectory() {
        RuntimeDirectory usual = new RuntimeDirectory(directory().path().resolve("run"));
        int length = usual.socket().toString().getBytes(StandardCharsets.UTF_8).length;
        return length <= RuntimeDirectory.MAX_SOCKET_PATH_BYTES
                ? usual
                : new RuntimeDirectory(segments.path().resolve("run"));
    }

    @Override
    boolean hasDaemon() {
        return plan().through().hasDaemon();
    }

    @Override
    Worker launchDaemon(WorkerListener listener) throws IOException {
        Map<String, String> knobs = hostKnobs();
        if (plan().channel() != null) {
            knobs.put(HostKnobs.COMMAND_CHANNEL.name(), plan().channel());
        }
        if (plan().through() == Through.SOCKET) {
            knobs.put(GatewayKnobs.SOCKET.name(), gateway().toString());
        }
        return launch("daemon", DemoWorkerMain.DAEMON, knobs, listener);
    }

    private Map<String, String> hostKnobs() {
        Map<String, String> knobs = new LinkedHashMap<>(runtimeKnob());
        poolBytes = configuration.get(HostKnobs.TOTAL_BYTES);
        knobs.put(HostKnobs.SEGMENT_DIRECTORY.name(), segments.path().toString());
        knobs.put(HostKnobs.TOTAL_BYTES.name(), Long.toString(poolBytes));
        if (plan().journal() != null) {
            knobs.put(HostKnobs.JOURNAL.name(), plan().journal().toAbsolutePath().toString());
        }
        return knobs;
    }

    @Override
    void poolReady(long bytes) {
        poolBytes = bytes;
    }

    @Override
    Worker launchServer(WorkerListener listener) throws IOException {
        Map<String, String> knobs = hasDaemon() ? new LinkedHashMap<>(runtimeKnob()) : hostKnobs();
        knobs.put(HOST_KNOB, hasDaemon() ? "daemon" : "embedded");
        if (plan().channel() != null) {
            knobs.put(SERVER_CHANNEL_KNOB, plan().channel());
        }
        return launch("server", DemoWorkerMain.SERVER, knobs, listener);
    }

    @Override
    Worker launchClient(int number, WorkerListener listener) throws IOException {
        String role = DemoWorkerMain.CLIENT + number;
        return launch("client " + number, role, clientKnobs(), listener);
    }

    private Map<String, String> clientKnobs() {
        if (plan().through() != Through.SOCKET) {
            return runtimeKnob();
        }
        return Map.of(
                ZoidKnobs.CLIENT_LINK.name(),
                SocketClientLinks.NAME,
                ZoidKnobs.SERVER_ADDRESS.name(),
                gateway().toString());
    }

    /**
     * The gateway's socket; its path is as short as that of the daemon's own socket, which fits.
     */
    private Path gateway() {
        return runtime.path().resolve("remote.sock");
    }

    @Override
    void cleanUp() throws IOException {
        try (segments) {
            super.cleanUp();
        }
    }

    private Map<String, String> runtimeKnob() {
        return Map.of(RuntimeDirectory.KNOB.name(), runtime.path().toString());
    }

    private Worker launch(
            String name, String role, Map<String, String> knobs, WorkerListener listener)
            throws IOException {
        List<Path> temporaries = List.of(directory().path(), segments.path());
        WorkerSettings settings = settings(role, ADDRESS, temporaries, poolBytes, knobs);
        return ProcessWorker.start(name, settings, listener);
    }
}

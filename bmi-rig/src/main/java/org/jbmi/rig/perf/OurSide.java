package org.jbmi.rig.perf;

import org.jbmi.config.Configuration;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.rig.perf.phase.WorkerPlan.Role;
import org.jbmi.tools.cli.PrivateDirectory;
import org.jbmi.tools.cli.Requirements;
import org.jbmi.tools.cli.Sentences;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/** The processes of one of our methods: a server, clients, and for zoid mostly a daemon. */
final class OurSide extends Side {
    /** All clients are connected; then all know what the server has spent until now. */
    private static final int GATES = 2;

    private static final String ZOID = "zoid";
    private static final String LOOPBACK = "loopback";
    private static final String TCP = "tcp";

    private final PerfPlan plan;
    private final @Nullable Pattern pattern;
    private final List<Integer> cpus;
    private final @Nullable PrivateDirectory directory;
    private final @Nullable PrivateDirectory segments;
    private final List<WorkerProcess> clients = new ArrayList<>();
    private final List<WorkerProcess> others = new ArrayList<>();
    private String idle = "";

    OurSide(PerfPlan plan, List<Integer> cpus, Path temporary, Path memory)
            throws IOException, ToolException {
        this(plan.target(), null, plan, cpus, temporary, memory);
    }

    /** A side with another pattern and name, such as calls beside messages. */
    OurSide(
            String name,
            @Nullable Pattern pattern,
            PerfPlan plan,
            List<Integer> cpus,
            Path temporary,
            Path memory)
            throws IOException, ToolException {
        super(name);
        this.pattern = pattern;
        this.plan = plan;
        this.cpus = cpus;
        if (plan.scheme().equals(ZOID) && !plan.isAddress()) {
            Requirements.zoid("");
            directory = PrivateDirectory.create(temporary, PrivateDirectory.TEMPORARY);
            segments = directory.another(memory, HostKnobs.SEGMENT_DIRECTORY.name());
        } else {
            directory = null;
            segments = null;
        }
    }

    @Override
    String setup() {
        StringJoiner words = new StringJoiner("; ");
        words.add(
                plan.isAddress()
                        ? "a server that others started"
                        : plan.serverThreads() + " thread(s) of a server");
        PerfPlan.Clients counts = plan.clients();
        words.add(
                counts.processes()
                        + " client process(es) of "
                        + counts.instances()
                        + " instance(s) of "
                        + counts.threads()
                        + " thread(s)");
        if (plan.scheme().equals(ZOID) && !plan.isAddress()) {
            words.add(
                    plan.isRelayed()
                            ? "through a daemon"
                            : plan.daemon() ? "a daemon looks on" : "no daemon");
        }
        Map<String, String> knobs = new TreeMap<>(plan.knobs());
        knobs.putAll(plan.waiting().knobs());
        knobs.forEach((name, value) -> words.add(name + "=" + value));
        return words.toString();
    }

    @Override
    Finding.Threads threads() {
        // The threads of a plug-in server are its own; the rig's thread only waits beside them.
        boolean isForwarded = phase(plan.phase()).pattern() == Pattern.FORWARD;
        int servers = plan.isAddress() || isForwarded ? 0 : plan.serverThreads();
        return new Finding.Threads(plan.clients().flows(), servers);
    }

    /** The clients and the server, also one that others started. Nobody asks a daemon. */
    @Override
    int compiling() {
        return plan.clients().processes() + (plan.scheme().equals(LOOPBACK) ? 0 : 1);
    }

    /** The memory and threads of the connections, after some messages. */
    Findings.Held held() throws ToolException, InterruptedException {
        return new Findings.Held(
                plan.clients().connections(),
                plan.isAddress() ? null : footprint(others),
                footprint(clients));
    }

    /** What its threads did in the last phase that was idle. */
    String idle() {
        return idle;
    }

    @Override
    void open() throws IOException, ToolException, InterruptedException {
        if (plan.isAddress()) {
            startClients(plan.target(), plan.knobs());
            return;
        }
        switch (plan.scheme()) {
            case LOOPBACK -> {
                clients.add(start(Role.BOTH, "loopback://perf", plan.knobs()));
                clients.getFirst().awaitReady();
            }
            case ZOID -> openZoid();
            case TCP -> {
                String address = startServer("tcp://127.0.0.1:0", plan.knobs());
                startClients(address, plan.knobs());
            }
            default ->
                    throw new ToolException(
                            "How to start both sides of "
                                    + plan.scheme()
                                    + " is not known here; start one with --listen and name its"
                                    + " address.");
        }
    }

    private void openZoid() throws IOException, ToolException, InterruptedException {
        Map<String, String> knobs = new LinkedHashMap<>(home());
        if (plan.daemon()) {
            startDaemon(knobs);
        }
        knobs.putAll(plan.knobs());
        knobs.remove(HostKnobs.SEGMENT_DIRECTORY.name());
        startClients(startServer("zoid://", knobs), knobs);
    }

    /** Directories of its own, so that no other daemon is found. */
    private Map<String, String> home() {
        if (directory == null || segments == null) {
            throw new IllegalStateException("There is no place for zoid.");
        }
        return Map.of(
                RuntimeDirectory.KNOB.name(), directory.path().resolve("run").toString(),
                HostKnobs.SEGMENT_DIRECTORY.name(), segments.path().toString());
    }

    private void startDaemon(Map<String, String> home)
            throws IOException, ToolException, InterruptedException {
        Configuration defaults = Configuration.resolve(DaemonKnobs.all(), Map.of());
        Map<String, String> knobs = new LinkedHashMap<>(home);
        knobs.put(HostKnobs.TOTAL_BYTES.name(), Long.toString(defaults.get(HostKnobs.TOTAL_BYTES)));
        if (plan.isRelayed()) { // otherwise it must not take a processor from the sides
            knobs.put(HostKnobs.WAIT.name(), plan.waiting().toString());
        }
        knobs.putAll(Knobs.only(plan.knobs(), Knobs.names(DaemonKnobs.all())));
        WorkerProcess daemon = start(Role.DAEMON, "-", knobs);
        others.add(daemon);
        daemon.awaitReady();
    }

    /** Starts the server; returns the address that clients look up. */
    private String startServer(String address, Map<String, String> knobs)
            throws IOException, ToolException, InterruptedException {
        WorkerProcess server = start(Role.SERVER, address, knobs);
        others.add(server);
        return server.awaitReady();
    }

    private void startClients(String address, Map<String, String> knobs)
            throws IOException, ToolException, InterruptedException {
        for (int i = 0; i < plan.clients().processes(); i++) {
            clients.add(start(Role.CLIENT, address, knobs));
        }
        for (WorkerProcess client : clients) {
            client.awaitReady();
        }
    }

    private WorkerProcess start(Role role, String address, Map<String, String> knobs)
            throws IOException {
        Map<String, String> own =
                role == Role.DAEMON ? knobs : Knobs.only(knobs, Knobs.ofMethods());
        return add(
                WorkerProcess.start(
                        new WorkerPlan(
                                role,
                                address,
                                plan.waiting(),
                                plan.clients().instances(),
                                role == Role.SERVER
                                        ? plan.serverThreads()
                                        : plan.clients().threads(),
                                plan.cpus().of(cpus),
                                "",
                                own),
                        List.of()));
    }

    @Override
    Phase phase(Phase ofTarget) {
        return pattern == null ? ofTarget : ofTarget.beside(pattern);
    }

    @Override
    PhaseResult run(Phase phase) throws ToolException, InterruptedException {
        try {
            begin(clients, phase, GATES);
            if (phase.pattern() == Pattern.IDLE) {
                idle = IdleThreads.amid(phase.millis(), pids(), name());
            }
            return finish(clients, phase);
        } catch (IOException e) {
            throw new ToolException(
                    "The threads of " + name() + " cannot be looked at: " + Sentences.of(e), e);
        } finally {
            for (WorkerProcess other : others) {
                other.check();
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        try (directory;
                segments) {
            super.close();
        }
    }
}

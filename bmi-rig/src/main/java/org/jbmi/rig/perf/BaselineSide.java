package org.jbmi.rig.perf;

import org.jbmi.rig.perf.baseline.Baseline;
import org.jbmi.rig.perf.baseline.BaselineEndpoints;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WorkerPlan.Role;
import org.jbmi.tools.cli.PrivateDirectory;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zbmi.host.place.HostKnobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Two processes of a baseline for each client thread of the target. */
final class BaselineSide extends Side {
    private final PerfPlan plan;
    private final Baseline baseline;
    private final List<Integer> cpus;
    private final PrivateDirectory directory;
    private final int pairs;
    private final List<WorkerProcess> servers = new ArrayList<>();
    private final List<WorkerProcess> clients = new ArrayList<>();

    BaselineSide(PerfPlan plan, String name, List<Integer> cpus, Path memory) throws IOException {
        super(name);
        this.plan = plan;
        this.cpus = cpus;
        baseline = Baseline.find(name);
        pairs = plan.clients().flows();
        directory = PrivateDirectory.create(memory, HostKnobs.SEGMENT_DIRECTORY.name());
    }

    @Override
    String setup() {
        String each = baseline.setup(plan.waiting());
        return pairs == 1 ? each : pairs + " pairs of processes, each " + each;
    }

    @Override
    Finding.Threads threads() {
        return new Finding.Threads(pairs, pairs);
    }

    @Override
    void open() throws IOException, ToolException, InterruptedException {
        for (int i = 0; i < pairs; i++) {
            String own = directory.path().resolve("pair-" + i).toString();
            WorkerProcess server = start(Role.SERVER, BaselineEndpoints.address(own, 0));
            servers.add(server);
            clients.add(start(Role.CLIENT, server.awaitReady()));
        }
        for (WorkerProcess client : clients) {
            client.awaitReady();
        }
    }

    private WorkerProcess start(Role role, String address) throws IOException {
        return add(
                WorkerProcess.start(
                        plan.ofBaseline(role, address, baseline.name(), cpus),
                        baseline.jvmOptions()));
    }

    @Override
    PhaseResult run(Phase phase) throws ToolException, InterruptedException {
        // Together: a server that spins spends time from its beginning.
        begin(Stream.concat(servers.stream(), clients.stream()).toList(), phase, 1);
        PhaseResult sum = PhaseResult.empty();
        for (int i = 0; i < pairs; i++) {
            PhaseResult client = clients.get(i).finish(phase);
            sum = sum.withPair(client.besideServer(servers.get(i).finish(phase)));
        }
        return sum;
    }

    @Override
    public synchronized void close() throws IOException {
        try (directory) {
            super.close();
        }
    }
}

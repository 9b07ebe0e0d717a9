package org.jbmi.rig.perf.worker;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.rig.perf.phase.CpuPin;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.tools.cli.Requirements;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.host.place.HostKnobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Opens the processes of our side of a measurement. */
public final class Endpoints {
    private Endpoints() {}

    /**
     * Opens the part of this process.
     *
     * @param failed takes the reason if a server cannot go on
     * @return open; the caller closes it
     * @throws Exception if that is not possible
     */
    public static Endpoint open(WorkerPlan plan, Consumer<String> failed) throws Exception {
        return switch (plan.role()) {
            case DAEMON -> new Daemon(startDaemon(plan.knobs()));
            case SERVER -> {
                new CpuPin(plan.cpus().server()).pinOnce();
                yield new BmiServerEndpoint(server(plan).open(), plan, failed);
            }
            case CLIENT -> {
                new CpuPin(plan.cpus().client()).pinOnce();
                yield new Client(openAll(plan), plan);
            }
            case BOTH -> new Both(plan, failed);
        };
    }

    static BmiBuilder builder(WorkerPlan plan) {
        BmiBuilder builder = Bmi.builder();
        plan.waiting().knobs().forEach(builder::knob);
        plan.knobs().forEach(builder::knob);
        return builder;
    }

    /** {@return the instance of a server, not open yet} */
    public static BmiBuilder server(WorkerPlan plan) {
        return builder(plan).listen(plan.address());
    }

    /** Starts a daemon; with less memory if the configured amount is not available. */
    private static ZbmiDaemon startDaemon(Map<String, String> knobs) {
        ZbmiDaemon.Builder builder = ZbmiDaemon.builder();
        knobs.forEach(builder::knob);
        String pool = HostKnobs.TOTAL_BYTES.name();
        return Requirements.poolThatFits(
                Long.parseLong(knobs.get(pool)),
                bytes -> builder.knob(pool, Long.toString(bytes)).start());
    }

    /** The daemon, which measures nothing. */
    private record Daemon(ZbmiDaemon daemon) implements Endpoint {
        @Override
        public PhaseResult run(Phase phase, Gate gate) {
            throw new UnsupportedOperationException("A daemon measures nothing.");
        }

        @Override
        public void close() {
            daemon.close();
        }
    }

    private static List<Bmi> openAll(WorkerPlan plan) {
        List<Bmi> instances = new ArrayList<>();
        boolean opened = false;
        try {
            for (int i = 0; i < plan.instances(); i++) {
                instances.add(builder(plan).open());
            }
            opened = true;
        } finally {
            if (!opened) {
                instances.forEach(Bmi::close);
            }
        }
        return instances;
    }

    /** A client process. */
    private static final class Client implements Endpoint {
        private final List<Bmi> instances;
        private final ClientThreads threads;

        Client(List<Bmi> instances, WorkerPlan plan) {
            this.instances = instances;
            threads =
                    new ClientThreads(
                            instances,
                            plan.address(),
                            plan.waiting(),
                            plan.threads(),
                            new CpuPin(plan.cpus().client()));
        }

        @Override
        public PhaseResult run(Phase phase, Gate gate) throws Exception {
            return threads.run(phase, gate);
        }

        @Override
        public void close() {
            threads.close();
            instances.forEach(Bmi::close);
        }
    }

    /** Server and client of a method within one process. */
    private static final class Both implements Endpoint {
        private final BmiServerEndpoint server;
        private final Client client;
        private final WorkerPlan plan;
        private final CpuPin pin;

        Both(WorkerPlan plan, Consumer<String> failed) {
            LoopbackHub hub = new LoopbackHub();
            this.plan = plan;
            pin = new CpuPin(plan.cpus().client());
            Bmi serverBmi = server(plan).attach(LoopbackHub.class, hub).open();
            Bmi clientBmi = builder(plan).attach(LoopbackHub.class, hub).open();
            server = new BmiServerEndpoint(serverBmi, plan, failed);
            client = new Client(List.of(clientBmi), plan);
        }

        @Override
        public PhaseResult run(Phase phase, Gate gate) throws Exception {
            if (phase.pattern() == Pattern.LOCAL) {
                gate.pass();
                pin.pinOnce();
                gate.pass();
                return local(phase);
            }
            PhaseResult result = client.run(phase, gate);
            // In one process the meters of both sides count the same costs.
            return result.inOneProcess();
        }

        private PhaseResult local(Phase phase) {
            LoopbackHub hub = new LoopbackHub();
            try (Bmi there = server(plan).attach(LoopbackHub.class, hub).open();
                    Bmi here = builder(plan).attach(LoopbackHub.class, hub).open();
                    LocalLoop loop = new LocalLoop(there, here, plan.address())) {
                return loop.run(phase);
            }
        }

        @Override
        public void close() {
            client.close();
            server.close();
        }
    }
}

package org.jbmi.rig.perf.worker;

import org.jbmi.Bmi;
import org.jbmi.rig.perf.phase.CpuPin;
import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.tools.cli.ListenAddresses;
import org.jbmi.tools.cli.Sentences;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The server: answers until it is closed. */
public final class BmiServerEndpoint implements Endpoint {
    private static final long END_MS = 5_000;

    private final Bmi bmi;
    private final String address;
    private final ServerFlows flows = new ServerFlows();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * Begins to serve.
     *
     * @param bmi listens; this object closes it
     * @param plan threads, processor, and how to wait
     * @param failed takes the reason if it cannot go on
     */
    public BmiServerEndpoint(Bmi bmi, WorkerPlan plan, Consumer<String> failed) {
        this.bmi = bmi;
        this.address = new ListenAddresses(List.of(plan.address())).resolved(bmi);
        CpuPin pin = new CpuPin(plan.cpus().server());
        Meter meter = new Meter(bmi);
        for (int i = 0; i < plan.threads(); i++) {
            ServerLoop loop = new ServerLoop(bmi, plan.waiting(), flows, meter);
            threads.add(
                    Thread.ofPlatform()
                            .name("perf-server-" + i)
                            .daemon()
                            .start(() -> serve(loop, pin, failed)));
        }
    }

    private void serve(ServerLoop loop, CpuPin pin, Consumer<String> failed) {
        try {
            pin.pinOnce();
            loop.run();
        } catch (Exception | Error e) {
            if (!flows.isStopped()) {
                failed.accept(Sentences.of(e));
            }
        }
    }

    @Override
    public PhaseResult run(Phase phase, Gate gate) {
        throw new UnsupportedOperationException("A server only answers.");
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public void close() {
        flows.stop();
        flows.closeCalls();
        bmi.close();
        try {
            for (Thread thread : threads) {
                thread.join(END_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

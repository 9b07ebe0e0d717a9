package org.jbmi.rig.perf.worker;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.rig.perf.phase.CpuPin;
import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.PhaseResult.Costs;
import org.jbmi.rig.perf.phase.WaitMode;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The threads of a client, one or more for each instance. Each has a context and a flow; all begin
 * and end together.
 */
final class ClientThreads implements AutoCloseable {
    private static final long STACK_BYTES = 256 << 10;
    private static final int FEW_THREADS = 64;

    private final List<Bmi> instances;
    private final int threadsEach;
    private final String address;
    private final WaitMode wait;
    private final CpuPin pin;
    private final Meter meter;
    private final List<ExecutorService> threads = new ArrayList<>();
    private final List<CompletionContext> contexts = new ArrayList<>();

    ClientThreads(List<Bmi> instances, String address, WaitMode wait, int threadsEach, CpuPin pin) {
        this.instances = List.copyOf(instances);
        this.threadsEach = threadsEach;
        this.address = address;
        this.wait = wait;
        this.pin = pin;
        this.meter = new Meter(instances);
        for (int i = 0; i < instances.size() * threadsEach; i++) {
            String name = "perf-client-" + i;
            threads.add(
                    Executors.newSingleThreadExecutor(
                            work ->
                                    Thread.ofPlatform()
                                            .name(name)
                                            .daemon()
                                            .stackSize(STACK_BYTES)
                                            .unstarted(work)));
            contexts.add(instanceOf(i).openContext());
        }
    }

    private Bmi instanceOf(int thread) {
        return instances.get(thread / threadsEach);
    }

    /**
     * Runs a phase on all threads. They pass the gate together when they are connected. They pass
     * it once more when the server has told them what it has spent until then. Then they send.
     */
    PhaseResult run(Phase phase, Endpoint.Gate gate) throws Exception {
        List<PeerAddress> servers = connect();
        Timeline timeline = new Timeline(meter, phase.pattern() == Pattern.STREAM);
        Barriers barriers =
                new Barriers(
                        new CyclicBarrier(threads.size(), gate::pass),
                        new CyclicBarrier(
                                threads.size(),
                                () -> {
                                    gate.pass();
                                    timeline.begin();
                                }),
                        new CyclicBarrier(threads.size(), timeline::end),
                        new CyclicBarrier(threads.size(), timeline::complete));
        try (Arena arena = Arena.ofShared()) {
            ClientFlow.Shared shared =
                    new ClientFlow.Shared(phase, arena, wait, threads.size() > FEW_THREADS);
            List<Future<PhaseResult>> results = new ArrayList<>();
            for (int i = 0; i < threads.size(); i++) {
                int number = i;
                PeerAddress server = servers.get(i / threadsEach);
                Callable<PhaseResult> work =
                        () -> {
                            try {
                                return one(number, server, shared, barriers);
                            } catch (Exception | Error e) {
                                barriers.breakForGood(); // the other threads must not wait for it
                                throw e;
                            }
                        };
                results.add(threads.get(i).submit(work));
            }
            return merge(results, timeline);
        }
    }

    /**
     * Where the threads of a phase wait for each other: when they are connected, before they send,
     * behind it, at the end. At the first two places they also wait for the other clients.
     */
    private record Barriers(
            CyclicBarrier gate, CyclicBarrier start, CyclicBarrier stop, CyclicBarrier all) {
        // A reset releases the threads that wait now; later ones must find the barrier broken.
        void breakForGood() {
            for (CyclicBarrier each : List.of(gate, start, stop, all)) {
                Thread.currentThread().interrupt();
                try {
                    each.await();
                } catch (InterruptedException | BrokenBarrierException e) {
                    Thread.interrupted();
                }
            }
        }
    }

    // One after another. If a thousand threads connect at once while all compilers are at work, the
    // last ones wait longer than a connection may take.
    private List<PeerAddress> connect() {
        return instances.stream().map(instance -> instance.lookup(address)).toList();
    }

    private PhaseResult one(
            int number, PeerAddress server, ClientFlow.Shared shared, Barriers barriers)
            throws Exception {
        pin.pinOnce();
        meter.watchThisThread();
        try (ClientFlow flow = flow(number, server, shared)) {
            flow.open();
            barriers.gate().await();
            flow.begin();
            barriers.start().await();
            flow.run();
            barriers.stop().await();
            flow.end();
            barriers.all().await();
            return new PhaseResult(
                    flow.latencies,
                    flow.exchanges,
                    0,
                    flow.costs(
                            number == 0 && timesTestCalls(shared.phase()) ? flow.testCallNs() : 0),
                    List.of(flow.exchanges));
        }
    }

    /** Thousands of test calls would be most of what a client spends that is idle. */
    private static boolean timesTestCalls(Phase phase) {
        return phase.pattern() != Pattern.IDLE && !phase.options().onlyMessages();
    }

    private ClientFlow flow(int number, PeerAddress server, ClientFlow.Shared shared) {
        // The numbers are per instance, because the server also distinguishes the peers.
        int own = number % threadsEach;
        ClientFlow.Setup setup = new ClientFlow.Setup(contexts.get(number), server, own, shared);
        Pattern pattern = shared.phase().pattern();
        if (pattern == Pattern.FORWARD) {
            return new ForwardedFlow(instanceOf(number), address, setup);
        }
        return pattern.isShipped()
                ? new ShippedFlow(instanceOf(number), setup)
                : ClientFlow.of(setup);
    }

    private static PhaseResult merge(List<Future<PhaseResult>> results, Timeline timeline)
            throws Exception {
        PhaseResult sum = PhaseResult.empty();
        Exception failure = null;
        for (Future<PhaseResult> result : results) {
            try {
                sum = sum.with(result.get());
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                Exception one = cause instanceof Exception x ? x : e;
                if (failure == null || failure instanceof BrokenBarrierException) {
                    failure = one;
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        Costs costs = sum.costs();
        return new PhaseResult(
                sum.latencies(),
                sum.exchanges(),
                timeline.elapsedNs(),
                new Costs(
                        timeline.spent(),
                        costs.serverBefore(),
                        costs.serverAfter(),
                        costs.testCallNs()),
                sum.flows());
    }

    @Override
    public void close() {
        for (ExecutorService thread : threads) {
            thread.shutdownNow();
        }
    }

    /** The start and end of a phase, and what this process spent between them. */
    private static final class Timeline {
        private final Meter meter;
        private Meter.Reading before;
        private Meter.Reading after;
        private final boolean endsThere;
        private long startNs;
        private long endNs;

        /** A stream ends when the other side has received everything. */
        Timeline(Meter meter, boolean endsThere) {
            this.meter = meter;
            this.endsThere = endsThere;
            before = meter.read();
            after = before;
        }

        void begin() {
            before = meter.read();
            startNs = System.nanoTime();
        }

        void end() {
            endNs = System.nanoTime();
            after = meter.read();
        }

        void complete() {
            if (endsThere) {
                end();
            }
        }

        Meter.Reading spent() {
            return after.minus(before);
        }

        long elapsedNs() {
            return endNs - startNs;
        }
    }
}

package org.jbmi.rig.perf.baseline;

import org.jbmi.rig.perf.phase.CpuPin;
import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.rig.perf.phase.WorkerPlan.Role;
import org.jbmi.rig.perf.worker.Endpoint;

import java.io.IOException;
import java.lang.foreign.Arena;

/** The two processes of a baseline. */
public final class BaselineEndpoints {
    private BaselineEndpoints() {}

    /**
     * Makes an address for both processes.
     *
     * @param directory an empty directory in memory
     * @param port of the loopback interface, 0 for the one that the system gives
     * @return an address for {@link #open}
     */
    public static String address(String directory, int port) {
        return directory + "|" + port;
    }

    /**
     * Opens one of the two.
     *
     * @param plan has the name of a baseline and an address of {@link #address}, or {@link
     *     MemoryCopy#NAME}, which needs no address
     * @throws IOException if it cannot be opened
     */
    public static Endpoint open(WorkerPlan plan) throws IOException, InterruptedException {
        if (plan.baseline().equals(MemoryCopy.NAME)) {
            return new MemoryCopy(plan);
        }
        Baseline baseline = Baseline.find(plan.baseline());
        int bar = plan.address().lastIndexOf('|');
        Baseline.Meeting meeting =
                new Baseline.Meeting(
                        plan.address().substring(0, bar),
                        Integer.parseInt(plan.address().substring(bar + 1)),
                        plan.waiting());
        // Threads that the link starts are not pinned; the measuring thread is pinned afterwards.
        boolean answers = plan.role() == Role.SERVER;
        Link link = answers ? baseline.listen(meeting) : baseline.connect(meeting);
        new CpuPin(answers ? plan.cpus().server() : plan.cpus().client()).pinOnce();
        return answers
                ? new Answerer(link, plan.waiting(), address(meeting.directory(), link.port()))
                : new LinkClient(link, plan.waiting());
    }

    /** Answers until the client ends the phase; counts what it spends. */
    private record Answerer(Link link, WaitMode waiting, String address, Meter meter)
            implements Endpoint {
        Answerer(Link link, WaitMode waiting, String address) {
            this(link, waiting, address, new Meter());
        }

        @Override
        public PhaseResult run(Phase phase, Gate gate) throws IOException {
            gate.pass();
            meter.watchThisThread();
            Meter.Reading before = meter.read();
            long startNs = System.nanoTime();
            try (Arena arena = Arena.ofShared()) {
                Buffers buffers = new Buffers(arena, phase);
                if (Duplex.isNeeded(phase, phase.bytes())) {
                    Duplex.answer(link, buffers);
                } else {
                    answer(phase, buffers);
                }
            }
            return PhaseResult.empty()
                    .withClient(
                            PhaseResult.newHistogram(),
                            0,
                            System.nanoTime() - startNs,
                            before,
                            meter.read());
        }

        private void answer(Phase phase, Buffers buffers) throws IOException {
            Buffer message = buffers.next();
            boolean isStream = !phase.pattern().isRoundTrip();
            boolean over = false;
            while (!over) {
                if (link.receive(message, waiting.isBlocking())) {
                    over = LinkClient.isLast(message.memory());
                    if (over || !isStream) {
                        link.send(message);
                    } else if (phase.options().touch()) {
                        LinkClient.readLines(message.memory());
                    }
                    message = buffers.next();
                } else {
                    waiting.pause();
                }
            }
        }

        @Override
        public void close() throws IOException {
            link.close();
        }
    }
}

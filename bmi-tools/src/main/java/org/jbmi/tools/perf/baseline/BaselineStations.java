package org.jbmi.tools.perf.baseline;

import org.jbmi.tools.perf.worker.CpuPin;
import org.jbmi.tools.perf.worker.Phase;
import org.jbmi.tools.perf.worker.PhaseResult;
import org.jbmi.tools.perf.worker.Station;
import org.jbmi.tools.perf.worker.WorkerPlan;
import org.jbmi.tools.perf.worker.WorkerPlan.Role;
import org.jbmi.tools.text.Sentences;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** The two processes of a baseline. */
public final class BaselineStations {
    private BaselineStations() {}

    /**
     * Opens one.
     *
     * @param baseline which
     * @param plan its address is {@code directory|port}
     * @param failed takes a sentence if the answering side cannot go on
     * @return an open process
     * @throws IOException if it cannot be opened
     * @throws InterruptedException if the thread is interrupted
     */
    public static Station open(Baseline baseline, WorkerPlan plan, Consumer<String> failed)
            throws IOException, InterruptedException {
        int bar = plan.address().lastIndexOf('|');
        Baseline.Meeting meeting =
                new Baseline.Meeting(
                        plan.address().substring(0, bar),
                        Integer.parseInt(plan.address().substring(bar + 1)),
                        plan.waiting());
        new CpuPin(plan.cpu()).pinOnce();
        return plan.role() == Role.SERVER
                ? new Answerer(baseline.listen(meeting), plan, failed)
                : new LinkClient(baseline.connect(meeting), plan.waiting());
    }

    /** Answers phases that are announced to it by {@link #run}, until it is told to pause. */
    private static final class Answerer implements Station {
        private static final long END_MS = 3_000;

        private final Link link;
        private final WorkerPlan plan;
        private final Consumer<String> failed;
        private volatile boolean closed;
        private @Nullable Thread thread;

        Answerer(Link link, WorkerPlan plan, Consumer<String> failed) {
            this.link = link;
            this.plan = plan;
            this.failed = failed;
        }

        /** Returns at once; the answering goes on until the client has said that it is over. */
        @Override
        public PhaseResult run(Phase phase) throws InterruptedException {
            Thread before = thread;
            if (before != null) {
                before.join();
            }
            thread = Thread.ofPlatform().name("perf-answers").daemon().start(() -> answer(phase));
            return PhaseResult.empty();
        }

        private void answer(Phase phase) {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment message = arena.allocate(phase.bytes(), 64);
                boolean isStream = !phase.pattern().isRoundTrip();
                boolean over = false;
                while (!over && !closed) {
                    if (link.receive(message, plan.waiting().isBlocking())) {
                        over = LinkClient.isLast(message);
                        if (over || !isStream) {
                            link.send(message);
                        } else if (phase.options().readLines()) {
                            LinkClient.readLines(message);
                        }
                    } else {
                        plan.waiting().pause();
                    }
                }
            } catch (IOException | RuntimeException e) {
                if (!closed) {
                    failed.accept(Sentences.of(e));
                }
            }
        }

        @Override
        public void close() throws IOException {
            closed = true;
            try {
                // First the thread, then the memory that it reads.
                if (thread != null) {
                    thread.join(END_MS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            link.close();
        }
    }
}

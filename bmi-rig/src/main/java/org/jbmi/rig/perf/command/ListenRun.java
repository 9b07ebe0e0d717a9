package org.jbmi.rig.perf.command;

import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.rig.perf.worker.BmiServerEndpoint;
import org.jbmi.rig.perf.worker.Endpoints;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** A server in the foreground, for clients that the user starts. */
final class ListenRun {
    private static final int FAILED = 1;

    private ListenRun() {}

    /** Serves until a signal ends the process; returns an exit status. */
    static int run(WorkerPlan plan, Consumer<String> out, Consumer<String> err) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        AtomicReference<String> failure = new AtomicReference<>("");
        BmiServerEndpoint endpoint =
                new BmiServerEndpoint(
                        Endpoints.server(plan).open(),
                        plan,
                        sentence -> {
                            failure.set(sentence);
                            ended.countDown();
                        });
        Thread stop = Thread.ofPlatform().unstarted(endpoint::close);
        Runtime.getRuntime().addShutdownHook(stop);
        out.accept(
                "Answering on "
                        + endpoint.address()
                        + "; measure with: bmi perf "
                        + endpoint.address()
                        + " --wait "
                        + plan.waiting());
        ended.await();
        err.accept("bmi perf: " + failure.get());
        return FAILED;
    }
}

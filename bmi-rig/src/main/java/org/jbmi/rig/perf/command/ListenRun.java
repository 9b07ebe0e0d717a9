package org.jbmi.rig.perf.command;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.rig.perf.worker.BmiServerStation;
import org.jbmi.rig.perf.worker.WorkerPlan;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** A server in the foreground, for clients that others start. */
final class ListenRun {
    private static final int FAILED = 1;

    private ListenRun() {}

    /** Serves until the process is told to end; returns an exit status. */
    static int run(WorkerPlan plan, Consumer<String> out, Consumer<String> err) throws Exception {
        BmiBuilder builder = Bmi.builder().listen(plan.address());
        plan.waiting().knobs().forEach(builder::knob);
        plan.knobs().forEach(builder::knob);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicReference<String> failure = new AtomicReference<>("");
        BmiServerStation station =
                new BmiServerStation(
                        builder.open(),
                        plan,
                        sentence -> {
                            failure.set(sentence);
                            ended.countDown();
                        });
        Thread stop = Thread.ofPlatform().unstarted(station::close);
        Runtime.getRuntime().addShutdownHook(stop);
        out.accept(
                "Answering on "
                        + station.address()
                        + "; measure with: bmi perf "
                        + station.address()
                        + " --wait "
                        + plan.waiting());
        ended.await();
        err.accept("bmi perf: " + failure.get());
        return FAILED;
    }
}

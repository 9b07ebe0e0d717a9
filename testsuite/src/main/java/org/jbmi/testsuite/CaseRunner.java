package org.jbmi.testsuite;

import org.jbmi.testsuite.support.DescriptorWatch;
import org.jbmi.testsuite.support.ThreadWatch;
import org.jspecify.annotations.Nullable;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Runs a case on a method: checks its needs, sets a watchdog, and checks that it left a clean
 * environment.
 */
public final class CaseRunner {
    /** Ends a case that this machine cannot run. */
    static final class Skipped extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** With what is missing. */
        Skipped(String reason) {
            super(reason);
        }
    }

    private static final long AFTERMATH_MS = 5_000;
    private static final long PATIENCE_NS = 20_000_000_000L;
    private static final long PAUSE_NS = 1_000_000;

    private final MethodFixture fixture;
    private final Exclusions exclusions;
    private final boolean full;
    private final long patienceNs;

    /**
     * A runner for a method.
     *
     * @param fixture the method
     * @param exclusions the cases not to be run
     * @param full whether cases take the whole of their {@link Amount amounts}, and much longer
     */
    public CaseRunner(MethodFixture fixture, Exclusions exclusions, boolean full) {
        this(fixture, exclusions, full, PATIENCE_NS);
    }

    /** For a test whose case leaves something behind: it waits only so long for its end. */
    CaseRunner(MethodFixture fixture, Exclusions exclusions, boolean full, long patienceNs) {
        this.fixture = fixture;
        this.exclusions = exclusions;
        this.full = full;
        this.patienceNs = patienceNs;
    }

    /**
     * A runner for a method that is quick.
     *
     * @param fixture the method
     * @param exclusions the cases not to be run
     */
    public CaseRunner(MethodFixture fixture, Exclusions exclusions) {
        this(fixture, exclusions, false);
    }

    /**
     * Runs a case. Its random numbers follow from the system property {@code jbmi.seed}, if that is
     * set.
     *
     * @param conformanceCase which
     * @return how it ended; never an exception
     */
    public CaseResult run(ConformanceCase conformanceCase) {
        String excluded = exclusions.reason(conformanceCase.id());
        if (excluded != null) {
            return new CaseResult(conformanceCase, CaseResult.Outcome.EXCLUDED, excluded, null);
        }
        Set<Capability> missing = EnumSet.noneOf(Capability.class);
        missing.addAll(conformanceCase.needs());
        missing.removeAll(fixture.capabilities());
        if (!missing.isEmpty()) {
            String reason = fixture.fullName() + " does not have " + missing;
            return new CaseResult(conformanceCase, CaseResult.Outcome.SKIPPED, reason, null);
        }
        Long given = Long.getLong("jbmi.seed");
        return runWatched(
                conformanceCase, given == null ? ThreadLocalRandom.current().nextLong() : given);
    }

    private CaseResult runWatched(ConformanceCase conformanceCase, long seed) {
        ThreadWatch threads = new ThreadWatch();
        DescriptorWatch descriptors = new DescriptorWatch();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread thread =
                new Thread(
                        () -> failure.set(perform(conformanceCase, seed)),
                        "case-" + conformanceCase.id());
        thread.setDaemon(true);
        thread.start();
        Throwable problem = watch(thread, seconds(conformanceCase), failure);
        if (problem == null || problem instanceof Skipped) {
            Throwable left = caught(() -> expectNone("threads", threads::newOnes));
            if (left == null) {
                left = caught(() -> expectNone("descriptors", descriptors::newOnes));
            }
            problem = left == null ? problem : left;
        }
        if (problem instanceof Skipped) {
            String reason = String.valueOf(problem.getMessage());
            return new CaseResult(conformanceCase, CaseResult.Outcome.SKIPPED, reason, null);
        }
        return problem == null
                ? new CaseResult(conformanceCase, CaseResult.Outcome.PASSED, "", null)
                : new CaseResult(
                        conformanceCase,
                        CaseResult.Outcome.FAILED,
                        problem.getMessage() + " [seed " + seed + "]",
                        problem);
    }

    /** Fails if there is something new after a while. */
    private void expectNone(String what, Supplier<List<String>> newOnes) {
        long endNs = System.nanoTime() + patienceNs;
        List<String> left = newOnes.get();
        while (!left.isEmpty() && System.nanoTime() - endNs < 0) {
            LockSupport.parkNanos(PAUSE_NS);
            left = newOnes.get();
        }
        Expect.equal(left, List.of(), "the list of " + what + " that the case left behind");
    }

    private int seconds(ConformanceCase one) {
        return one.seconds() * (full && Amount.isOf(one) ? Amount.PATIENCE : 1);
    }

    private @Nullable Throwable perform(ConformanceCase conformanceCase, long seed) {
        Scene scene = new Scene(fixture, seed, full);
        try {
            conformanceCase.body().run(scene);
        } catch (Throwable e) {
            Throwable afterwards = caught(scene::abandon);
            if (afterwards == null) {
                return e;
            }
            if (e instanceof Skipped) {
                return afterwards;
            }
            e.addSuppressed(afterwards);
            return e;
        }
        return caught(scene::close);
    }

    private static @Nullable Throwable caught(Runnable action) {
        try {
            action.run();
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    private static @Nullable Throwable watch(
            Thread thread, int seconds, AtomicReference<@Nullable Throwable> failure) {
        try {
            thread.join(seconds * 1000L);
            if (!thread.isAlive()) {
                return failure.get();
            }
            String dump = ThreadWatch.dump();
            thread.interrupt();
            thread.join(AFTERMATH_MS);
            return new ConformanceFailure("The case hangs after " + seconds + " s:\n" + dump);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e;
        }
    }
}

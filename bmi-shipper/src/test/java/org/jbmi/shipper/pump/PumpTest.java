package org.jbmi.shipper.pump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.WatchedBmi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Who drives sleeps only when nothing is left to be looked at. */
@Timeout(120)
class PumpTest {
    /** Each of them took a sleep of 10 ms: a minute in all. */
    private static final int LOOKS = 6_000;

    private static final int WAKE_UPS = Boolean.getBoolean("jbmi.long") ? 300 : 100;

    /** The logger fails as well, as on its first use in a full heap. */
    private static final class Unloggable extends AssertionError {
        private static final long serialVersionUID = 1L;

        @Override
        public void printStackTrace(PrintWriter out) {
            throw new NoClassDefFoundError("As if the heap were full.");
        }
    }

    /** Always has something under way, and no deadline. */
    private abstract static class Busy implements Work {
        @Override
        public void tick(long nowNs) {}

        @Override
        public boolean isBusy() {
            return true;
        }

        @Override
        public void lost(int code) {}
    }

    private static final class Looks extends Busy {
        private final AtomicInteger count = new AtomicInteger();
        private final AtomicInteger rounds = new AtomicInteger();
        private final CountDownLatch all = new CountDownLatch(1);

        @Override
        public boolean look() {
            if (count.incrementAndGet() >= LOOKS) {
                all.countDown();
                return false;
            }
            return true;
        }

        @Override
        public void afterRound() {
            rounds.incrementAndGet();
        }
    }

    @Test
    void nobodySleepsBeforeTheNextLookWhenThereMayBeMore() throws InterruptedException {
        Looks work = new Looks();
        run(work, work.all);
        assertThat(work.rounds.get()).isGreaterThanOrEqualTo(LOOKS - 1);
    }

    /** Runs a pump in a thread of its own until there were enough looks. */
    private static void run(Work work, CountDownLatch looks) throws InterruptedException {
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(bmi, System::nanoTime, work);
            pump.start("pump-test", 0);
            try {
                assertThat(looks.await(20, TimeUnit.SECONDS)).isTrue();
            } finally {
                pump.close(10_000);
            }
        }
    }

    /** Says what came, and counts what it is asked to do. */
    private static final class Visits extends Busy {
        private int coming;
        private boolean quiet = true;
        private int looks;
        private int ticks;

        @Override
        public int peek() {
            return coming;
        }

        @Override
        public boolean look() {
            looks++;
            coming = 0;
            return false;
        }

        @Override
        public boolean isQuiet() {
            return quiet;
        }

        @Override
        public void tick(long nowNs) {
            ticks++;
        }
    }

    @Test
    void aRoundReadsTheClockIfSomethingCameOrHasADeadline() {
        Visits work = new Visits();
        AtomicInteger reads = new AtomicInteger();
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(bmi, reads::incrementAndGet, work);
            for (int i = 0; i < 10; i++) {
                pump.driveOnce(0);
            }
            assertThat(reads.get()).isZero();
            work.coming = 3;
            pump.driveOnce(0);
            pump.driveOnce(0);
            assertThat(reads.get()).isEqualTo(1);
            assertThat(work.looks).isEqualTo(1);
            work.quiet = false;
            pump.driveOnce(0);
            assertThat(reads.get()).isEqualTo(2);
            assertThat(work.ticks).isEqualTo(2);
            pump.close(1_000);
        }
    }

    /** Looking for what comes unasked has made progress for the operations, too. */
    @Test
    void aRoundMakesProgressOnce() {
        Visits work = new Visits();
        List<String> asked = new ArrayList<>();
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(WatchedBmi.after(bmi, asked::add), System::nanoTime, work);
            pump.driveOnce(0);
            assertThat(asked).containsExactly("collect");
            asked.clear();
            work.coming = Work.NOT_LOOKED;
            pump.driveOnce(0);
            assertThat(asked).containsExactly("testContext(0)");
            pump.close(1_000);
        }
    }

    @Test
    void aRoundThatFailsIsFollowedByTheNextOne() throws InterruptedException {
        CountDownLatch looks = new CountDownLatch(3);
        Work work =
                new Busy() {
                    @Override
                    public boolean look() {
                        looks.countDown();
                        throw new Unloggable();
                    }
                };
        run(work, looks);
    }

    @Test
    void anActionThatThrowsKeepsNothingFromOthers() {
        AtomicInteger ran = new AtomicInteger();
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(bmi, System::nanoTime, new Visits());
            pump.enter();
            pump.later(
                    new Later(
                            () -> {
                                throw new Unloggable();
                            }));
            pump.later(new Later(ran::incrementAndGet));
            pump.leave();
            assertThat(ran.get()).isEqualTo(1);
            pump.close(1_000);
        }
    }

    /** Nothing else is to be done in the next round. */
    @Test
    void anActionThatFindsNoMemoryIsRunAgain() {
        AtomicInteger runs = new AtomicInteger();
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(bmi, System::nanoTime, new Visits());
            pump.enter();
            pump.later(
                    new Later(
                            () -> {
                                if (runs.incrementAndGet() == 1) {
                                    throw new OutOfMemoryError("As if the heap were full.");
                                }
                            }));
            pump.leave();
            assertThat(runs.get()).isEqualTo(1);
            pump.driveOnce(0);
            pump.driveOnce(0);
            assertThat(runs.get()).isEqualTo(2);
            pump.close(1_000);
        }
    }

    /** The end of a pump ends calls, too: who waits for one must not wait for ever. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    @SuppressWarnings("try") // the instance is closed before its end
    void anActionThatFindsNoMemoryAtTheEndIsRunAgain(boolean hasThread, boolean isLost) {
        AtomicInteger runs = new AtomicInteger();
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(bmi, System::nanoTime, new Visits());
            if (hasThread) {
                pump.start("pump-test", 0);
            }
            pump.enter();
            pump.later(
                    new Later(
                            () -> {
                                if (!pump.isClosed() || runs.incrementAndGet() < 3) {
                                    throw new OutOfMemoryError("As if the heap were full.");
                                }
                            }));
            pump.leave();
            if (isLost) {
                bmi.close();
                pump.driveOnce(0);
            }
            pump.close(20_000);
            assertThat(runs.get()).isEqualTo(3);
        }
    }

    /** Something that a thread waits for. */
    private static final class End extends Awaited {
        void come() {
            finish();
        }
    }

    /** Ends a wait in the first round of anybody. */
    private static final class Ending extends Busy {
        private End end = new End();
        private Runnable atEnd = () -> {};

        @Override
        public boolean look() {
            if (!end.isFinished()) {
                end.come();
                atEnd.run();
            }
            return false;
        }
    }

    /** Nobody else may drive, and no action runs while another one waits. */
    @Test
    void anActionOfTheThreadThatDrivesMayWait() {
        Ending work = new Ending();
        List<String> order = new ArrayList<>();
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(bmi, System::nanoTime, work);
            work.atEnd = () -> pump.later(new Later(() -> order.add("next")));
            pump.whileDriving(
                    () -> {
                        pump.enter();
                        pump.later(
                                new Later(
                                        () -> {
                                            pump.await(work.end, TimeUnit.SECONDS.toNanos(10));
                                            order.add("waited: " + work.end.isFinished());
                                        }));
                        pump.leave();
                    });
            assertThat(order).containsExactly("waited: true", "next");
            pump.close(1_000);
        }
    }

    /**
     * Two threads wait while this one drives. What the first one waits for comes just before this
     * one stops, so it needs no wake-up; the second one must drive.
     */
    @Test
    void aWakeUpGoesToAThreadThatStillWaits() {
        Ending work = new Ending();
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(bmi, System::nanoTime, work);
            pump.followNs = TimeUnit.SECONDS.toNanos(60); // nobody wakes without a wake-up
            for (int i = 0; i < WAKE_UPS; i++) {
                End first = new End();
                work.end = new End();
                AtomicInteger over = new AtomicInteger();
                List<Thread> threads = new ArrayList<>();
                pump.whileDriving(
                        () -> {
                            for (End each : List.of(first, work.end)) {
                                threads.add(waiting(pump, each, over));
                            }
                            pump.enter();
                            first.come();
                            pump.leave();
                        });
                threads.forEach(PumpTest::join);
                assertThat(over.get()).as("round %d", i).isEqualTo(2);
            }
            pump.close(1_000);
        }
    }

    /** A thread that is parked until something comes. */
    private static Thread waiting(Pump pump, End end, AtomicInteger over) {
        Thread thread =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    if (pump.await(end, TimeUnit.SECONDS.toNanos(10))) {
                                        over.incrementAndGet();
                                    }
                                });
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        return thread;
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Remembers its outcome, and may throw then. */
    private static final class Told extends Posted {
        private final boolean isThrowing;
        private int code;
        private int times;

        Told(boolean isThrowing) {
            this.isThrowing = isThrowing;
        }

        @Override
        protected void done(int outcome, long bytes) {
            code = outcome;
            times++;
            if (isThrowing) {
                throw new AssertionError("What is told of an outcome may throw.");
            }
        }
    }

    /** Fails to look for what comes unasked. */
    private static final class Failing extends Busy {
        private @Nullable Throwable failure;

        @Override
        public int peek() {
            Throwable once = failure;
            failure = null;
            switch (once) {
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case null, default -> {
                    return 0;
                }
            }
        }

        @Override
        public boolean look() {
            return false;
        }
    }

    @Test
    void anOutcomeThatWasTakenInARoundThatFailsIsTold() {
        Failing work = new Failing();
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(bmi, System::nanoTime, work);
            Told full = received(bmi, pump);
            work.failure = new OutOfMemoryError("As if the heap were full.");
            assertThatThrownBy(() -> pump.driveOnce(1)).isInstanceOf(OutOfMemoryError.class);
            Told next = received(bmi, pump);
            pump.driveOnce(1);
            assertThat(List.of(full.times, next.times)).containsExactly(1, 1);
            Told last = received(bmi, pump);
            work.failure = new BmiException(ErrorCode.EIO, "As if the listener had failed.");
            pump.driveOnce(1);
            assertThat(last.times).isEqualTo(1);
            assertThat(pump.pending()).isZero();
            assertThat(pump.isClosed()).isTrue();
            pump.close(1_000);
        }
    }

    /** A receive whose message has come, and whose outcome was not taken yet. */
    private static Told received(Bmi bmi, Pump pump) {
        PeerAddress self = bmi.lookup("loopback://pump");
        Told received = new Told(false);
        pump.enter();
        try {
            pump.receive(self, MemorySegment.ofArray(new byte[8]), 7, received);
            pump.send(self, MemorySegment.ofArray(new byte[8]), 7, false, new Told(false));
        } finally {
            pump.leave();
        }
        assertThat(received.times).isZero();
        return received;
    }

    @Test
    void whoThrowsWhenItIsToldKeepsNothingFromOthers() {
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(bmi, System::nanoTime, new Visits());
            MemorySegment refused = MemorySegment.ofArray(new byte[8]).asReadOnly();
            List<Told> all = List.of(new Told(true), new Told(false));
            pump.enter();
            all.forEach(told -> pump.receive(bmi.lookup("loopback://pump"), refused, 7, told));
            pump.leave();
            assertThat(all)
                    .extracting(told -> told.code)
                    .containsOnly(ErrorCode.EINVAL.negativeValue());
            pump.close(1_000);
        }
    }

    /** Counts how often the pump's own thread asks whether it must go on, and ends a wait. */
    private static final class Counting extends Busy {
        private final End end = new End();
        private final AtomicInteger asked = new AtomicInteger();
        private Thread waiting = Thread.currentThread();
        private int rounds;

        @Override
        public boolean isBusy() {
            asked.incrementAndGet();
            return true;
        }

        @Override
        public boolean look() {
            boolean isWaiting = Thread.currentThread().equals(waiting);
            if (isWaiting && ++rounds == 100) {
                end.come();
            }
            return false;
        }
    }

    /** It looks once a millisecond at most; without a pause it would look all the time. */
    @Test
    void thePumpsOwnThreadSleepsWhileAnotherOneDrives() {
        Counting work = new Counting();
        try (Bmi bmi = Bmi.builder().listen("loopback://pump").open()) {
            Pump pump = new Pump(bmi, System::nanoTime, work);
            pump.start("pump-test", 0);
            try {
                long beganNs = System.nanoTime();
                assertThat(pump.await(work.end, TimeUnit.SECONDS.toNanos(60))).isTrue();
                long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
                assertThat((long) work.asked.get()).isLessThan(100 + 3 * tookMs);
            } finally {
                pump.close(10_000);
            }
        }
    }
}

package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.scripted.Script;
import org.jbmi.scripted.ScriptedMethod;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** An open instance with a scripted method, and a watch over the threads of a test. */
@Timeout(30)
abstract class ScriptedTest {
    static final int EINVAL = ErrorCode.EINVAL.negativeValue();
    static final int ECANCEL = ErrorCode.ECANCEL.negativeValue();
    static final int ETIMEDOUT = ErrorCode.ETIMEDOUT.negativeValue();
    static final int EIO = ErrorCode.EIO.negativeValue();
    static final long LONG_MS = 3_600_000;

    final Script script = new Script();
    Bmi bmi;
    CompletionContext context;
    PeerAddress peer;
    ScriptedMethod method;
    final Completions done = Completions.ofCapacity(16);
    final MemorySegment buffer = Arena.ofAuto().allocate(256, 64);
    private final List<Thread> threads = new ArrayList<>();

    /** A call in a thread of its own. */
    final class Call<T> {
        private final FutureTask<T> task;
        final Thread thread;

        private Call(Callable<T> body, boolean virtual) {
            task = new FutureTask<>(body);
            thread =
                    virtual
                            ? Thread.ofVirtual().start(task)
                            : Thread.ofPlatform().daemon().start(task);
        }

        T result() {
            try {
                return task.get(20, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw new AssertionError("the call failed", e.getCause());
            } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError("the call did not return", e);
            }
        }

        boolean isDone() {
            return task.isDone();
        }

        /** Waits until the thread sleeps in its call. */
        Call<T> asleep() {
            eventually(this::isAsleep);
            return this;
        }

        boolean isAsleep() {
            return switch (thread.getState()) {
                case WAITING, TIMED_WAITING -> true;
                case RUNNABLE -> isSelecting(thread.getStackTrace());
                default -> false;
            };
        }

        /** A thread in the system's select counts as runnable. */
        private static boolean isSelecting(StackTraceElement[] stack) {
            return stack.length > 0 && stack[0].getClassName().startsWith("sun.nio.ch.EPoll");
        }
    }

    /** Describes the instance; more than the default where a test overrides it. */
    BmiBuilder builder() {
        return Bmi.builder();
    }

    @BeforeEach
    void open() {
        bmi = builder().attach(Script.class, script).open();
        context = bmi.openContext();
        peer = bmi.lookup("test://peer");
        method = script.test();
    }

    @AfterEach
    void close() throws InterruptedException {
        bmi.close();
        for (Thread thread : threads) {
            thread.join(10_000);
            assertThat(thread.isAlive()).as("thread left behind").isFalse();
        }
    }

    <T> Call<T> start(Callable<T> body) {
        Call<T> call = new Call<>(body, false);
        threads.add(call.thread);
        return call;
    }

    <T> Call<T> startVirtual(Callable<T> body) {
        Call<T> call = new Call<>(body, true);
        threads.add(call.thread);
        return call;
    }

    /** Polls a condition. */
    static void eventually(BooleanSupplier condition) {
        long end = System.nanoTime() + 15_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("the condition did not come true");
            }
            LockSupport.parkNanos(100_000);
        }
    }

    static void assertCode(ErrorCode code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    long receive() {
        return context.postReceive(peer, buffer, 1);
    }

    /** The method fails where it is to cancel one operation. */
    void failCancelOf(long id) {
        script.cancelRule =
                (m, operation, cancelled, code) -> {
                    if (cancelled == id) {
                        throw new IllegalStateException("planted");
                    }
                    return m.withdraw(operation, cancelled, code);
                };
    }

    /** The number of operations in use. */
    long inUse() {
        return gauge("bmi.operations");
    }

    long gauge(String label) {
        return bmi.counters().all().stream()
                .filter(c -> c.spec().label().equals(label))
                .findFirst()
                .orElseThrow()
                .get();
    }

    long elapsedMs(Runnable call) {
        long before = System.nanoTime();
        call.run();
        return (System.nanoTime() - before) / 1_000_000;
    }
}

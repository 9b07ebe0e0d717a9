package org.jbmi.zoid.plugins.barrier;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.forward.PluginServices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Processes that wait for each other, and one that does so twice. */
@Timeout(60)
class JobBarrierTest {
    private static final long INTERRUPTED = -4;

    private final Map<Thread, Integer> processes = new ConcurrentHashMap<>();
    private final CopyOnWriteArrayList<Long> results = new CopyOnWriteArrayList<>();
    private final JobBarrier barrier = new JobBarrier(services());

    /** Of a job of two processes. */
    private PluginServices services() {
        return (PluginServices)
                Proxy.newProxyInstance(
                        PluginServices.class.getClassLoader(),
                        new Class<?>[] {PluginServices.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "callingProcess" -> processes.get(Thread.currentThread());
                                    case "jobSizeOf" -> 2;
                                    case "jobOf" -> Optional.of("job");
                                    default -> throw new UnsupportedOperationException();
                                });
    }

    private Thread waiter(int process) {
        Thread thread = Thread.ofPlatform().daemon().unstarted(() -> results.add(barrier.wait_()));
        processes.put(thread, process);
        thread.start();
        return thread;
    }

    /** A thread that the table of waiting threads cannot take at first. */
    private final class Heavy extends Thread {
        private int hashes;

        @Override
        public void run() {
            processes.put(this, 1);
            hashes = 0;
            try {
                barrier.wait_();
            } catch (OutOfMemoryError e) {
                results.add(-121L);
            }
        }

        @Override
        public int hashCode() {
            hashes++;
            if (hashes == 2) { // the first is that of the call
                throw new OutOfMemoryError("planted by the test");
            }
            return super.hashCode();
        }
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    /** The others would go on without it, or for ever wait for its next call. */
    @Test
    void aCallThatFindsNoMemoryDoesNotCount() throws InterruptedException {
        barrier.proc(true, 1);
        barrier.proc(true, 2);
        Thread heavy = new Heavy();
        heavy.start();
        heavy.join();
        Thread other = waiter(2);
        awaitWaiting(other);
        waiter(1).join();
        other.join();
        assertThat(results).containsExactly(-121L, 1L, 1L);
    }

    /** The handler of the cancelled call may still be there when the process calls again. */
    @Test
    void aProcessThatCallsAgainIsCountedWhenItsFirstCallEnds() throws InterruptedException {
        barrier.proc(true, 1);
        barrier.proc(true, 2);
        Thread first = waiter(1);
        awaitWaiting(first);
        Thread again = waiter(1);
        awaitWaiting(again);
        first.interrupt();
        first.join();
        Thread other = waiter(2);
        other.join();
        again.join();
        assertThat(results).containsExactlyInAnyOrder(INTERRUPTED, 1L, 1L);
    }

    /** As two threads of a process call, of which one gives up. */
    @Test
    void aProcessIsCountedWhileOneOfItsCallsWaits() throws InterruptedException {
        barrier.proc(true, 1);
        barrier.proc(true, 2);
        Thread first = waiter(1);
        awaitWaiting(first);
        Thread again = waiter(1);
        awaitWaiting(again);
        again.interrupt();
        again.join();
        Thread other = waiter(2);
        other.join();
        first.join();
        assertThat(results).containsExactlyInAnyOrder(INTERRUPTED, 1L, 1L);
        Thread alone = waiter(1);
        awaitWaiting(alone);
        alone.interrupt();
        alone.join();
        Thread next = waiter(2);
        awaitWaiting(next);
        barrier.proc(false, 1);
        next.join();
        assertThat(results).endsWith(INTERRUPTED, -32L);
    }
}

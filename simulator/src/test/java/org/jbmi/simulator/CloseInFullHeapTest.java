package org.jbmi.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.simulator.heap.AllocationLoader;
import org.jbmi.simulator.heap.AllocationThread;
import org.jbmi.simulator.heap.HeapFull;
import org.jbmi.spi.Method;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.Constructor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A half closes, and one of the objects that this takes has no room in the heap: the first, the
 * second, and so on. Whichever it is, no lock stays taken: calls that come later return.
 */
@Timeout(120)
class CloseInFullHeapTest {
    private static final int MANY = 10_000;
    private static final int BLOCKS = 3;
    private static final long PATIENCE_MS = TimeUnit.SECONDS.toMillis(20);
    private static final String DONE = "done";
    private static final String FULL = "full";

    /** What fails here is logged by the thousand. */
    private static final Logger WARNINGS = Logger.getLogger("org.jbmi");

    /** Closes, loaded anew with all that it needs. */
    public static final class Attempt extends AllocationThread {
        private final String what;
        private final int nth;
        private final Consumer<Object> result;
        private int left;

        /**
         * Prepares.
         *
         * @param what closes: "direct" or "daemon" for the server of such a host, or "client"
         * @param nth which object has no room
         * @param result is told how it ended
         */
        public Attempt(String what, int nth, Consumer<Object> result) {
            super("attempt");
            this.what = what;
            this.nth = nth;
            this.result = result;
            setDaemon(true);
        }

        @Override
        protected void allocates() {
            if (left > 0 && --left == 0) {
                throw new HeapFull();
            }
        }

        @Override
        public void run() {
            Level before = WARNINGS.getLevel();
            WARNINGS.setLevel(Level.OFF);
            try {
                result.accept(close(opened()));
            } catch (RuntimeException | Error e) {
                result.accept(e);
            } finally {
                WARNINGS.setLevel(before);
            }
        }

        private Method opened() {
            long seed = 0;
            World world;
            do {
                world = new World(++seed, new Simulation(seed).knobs(), null);
            } while (world.isDirect() != what.equals("direct")
                    || world.lender() != null
                    || world.server.method == null);
            SimPeer peer = world.server;
            if (what.equals("client")) {
                peer = world.peers.getFirst();
                peer.start();
            }
            return peer.half();
        }

        private String close(Method half) {
            for (int i = 0; i < BLOCKS; i++) {
                half.memalloc(100);
            }
            left = nth;
            try {
                half.close();
            } catch (HeapFull e) {
                result.accept(FULL);
            }
            boolean isOver = left > 0;
            left = 0;
            half.memalloc(100);
            half.waitable().poll();
            half.close();
            return isOver ? DONE : FULL;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"direct", "daemon", "client"})
    void whicheverObjectHasNoRoomNoLockStaysTaken(String what) throws Exception {
        ClassLoader loader = new AllocationLoader(CloseInFullHeapTest.class.getClassLoader());
        Constructor<?> made =
                loader.loadClass(Attempt.class.getName())
                        .getConstructor(String.class, int.class, Consumer.class);
        Object end = FULL;
        int nth = 0;
        while (end.equals(FULL) && nth < MANY) {
            end = attempt(made, what, ++nth);
        }
        System.out.println("CloseInFullHeapTest: " + what + ", " + (nth - 1) + " objects");
        assertThat(end).isEqualTo(DONE);
        assertThat(nth).as("objects of a close").isGreaterThan(1);
    }

    private static Object attempt(Constructor<?> made, String what, int nth) throws Exception {
        AtomicReference<Object> end = new AtomicReference<>("it said nothing");
        Consumer<Object> result = end::set;
        Thread thread = (Thread) made.newInstance(what, nth, result);
        thread.start();
        thread.join(PATIENCE_MS);
        if (thread.isAlive()) {
            AssertionError still = new AssertionError("object " + nth + ": it stands still");
            still.setStackTrace(thread.getStackTrace());
            throw still;
        }
        if (end.get() instanceof Throwable unexpected) {
            throw new AssertionError("object " + nth, unexpected);
        }
        return end.get();
    }
}

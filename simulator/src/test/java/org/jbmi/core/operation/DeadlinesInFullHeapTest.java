package org.jbmi.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.PostOptions;
import org.jbmi.simulator.heap.AllocationLoader;
import org.jbmi.simulator.heap.AllocationThread;
import org.jbmi.simulator.heap.HeapFull;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.reflect.Constructor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The queue of deadlines grows, and one of the arrays that this takes has no room in the heap: the
 * first, the second, and so on. Whichever it is, the queue holds what it held, and grows later.
 */
@Timeout(60)
class DeadlinesInFullHeapTest {
    private static final int ARRAYS = 3;
    private static final String DONE = "done";
    private static final String FULL = "full";

    /** Adds deadlines, loaded anew with all that it needs. */
    public static final class Attempt extends AllocationThread {
        /** So many need no longer arrays. */
        private static final int HELD = 16;

        private final Consumer<Object> result;
        private final DeadlineQueue queue = new DeadlineQueue();
        private int left;

        /**
         * Prepares.
         *
         * @param nth which array has no room; 0 for none
         * @param result is told how it ended
         */
        public Attempt(int nth, Consumer<Object> result) {
            super("attempt");
            this.left = nth;
            this.result = result;
        }

        @Override
        protected void allocates() {
            if (left > 0 && --left == 0) {
                throw new HeapFull();
            }
        }

        @Override
        public void run() {
            int nth = left;
            left = 0;
            try {
                for (int i = 0; i < HELD; i++) {
                    CoreOperation operation = operation(i);
                    queue.reserve();
                    queue.add(operation, operation.id());
                }
                Object end = addOneMore(operation(HELD), nth);
                int expired = 0;
                long laterNs = System.nanoTime() + TimeUnit.HOURS.toNanos(1);
                while (queue.pollExpired(laterNs) != null) {
                    expired++;
                }
                result.accept(expired == HELD + 1 ? end : expired + " have expired");
            } catch (Throwable e) {
                result.accept(e);
            }
        }

        private Object addOneMore(CoreOperation operation, int nth) {
            Object end = reserveOneMore(nth);
            left = 1; // a method has the operation: from here on nothing may fail
            queue.add(operation, operation.id());
            left = 0;
            return end;
        }

        private Object reserveOneMore(int nth) {
            left = nth;
            try {
                queue.reserve();
                return DONE;
            } catch (HeapFull e) {
                queue.reserve();
                return FULL;
            }
        }

        private static CoreOperation operation(int slot) {
            CoreOperation operation = new CoreOperation(slot);
            operation.options(PostOptions.NONE.withDeadlineMs(1));
            operation.begin(10);
            return operation;
        }
    }

    @Test
    void whicheverArrayHasNoRoomTheQueueHoldsWhatItHeld() throws Exception {
        ClassLoader loader = new AllocationLoader(DeadlinesInFullHeapTest.class.getClassLoader());
        Constructor<?> made =
                loader.loadClass(Attempt.class.getName()).getConstructor(int.class, Consumer.class);
        assertThat(attempt(made, 0)).isEqualTo(DONE);
        for (int nth = 1; nth <= ARRAYS; nth++) {
            assertThat(attempt(made, nth)).as("array " + nth).isEqualTo(FULL);
        }
        assertThat(attempt(made, ARRAYS + 1)).as("there are no more").isEqualTo(DONE);
    }

    private static Object attempt(Constructor<?> made, int nth) throws Exception {
        AtomicReference<Object> end = new AtomicReference<>("it said nothing");
        Consumer<Object> result = end::set;
        Thread thread = (Thread) made.newInstance(nth, result);
        thread.start();
        thread.join();
        return end.get();
    }
}

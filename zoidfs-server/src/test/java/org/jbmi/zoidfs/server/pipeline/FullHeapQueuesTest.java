package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** What waits in a queue is not lost if there is no memory to add one more, in a JVM of its own. */
@Timeout(60)
class FullHeapQueuesTest {
    /** A queue that doubles its table is at the end of it here. */
    private static final int BEFORE = 16;

    private static final int LATER = 3;

    @Test
    void allThatWaitedBeforeTheHeapWasFullBegin() throws Exception {
        assertThat(FullHeap.outputOf(Child.class, "16m"))
                .isEqualTo("tasks lost: 0, operations lost: 0");
    }

    /** Adds to queues in a full heap. */
    static final class Child {
        private final FileQueue queue = new FileQueue(FileHandle.NONE);
        private int begun;
        private final Turns turns = new Turns(1, task -> begun++);
        private int addedTasks;
        private int addedOperations;

        public static void main(String[] args) {
            try (Bmi bmi = Bmi.open()) {
                System.out.print(new Child().run(bmi));
            }
            System.out.flush();
            Runtime.getRuntime().halt(0);
        }

        private String run(Bmi bmi) {
            Call one = new Call(bmi.lookup("tcp://127.0.0.1:1"), 1, 0);
            for (int i = 0; i < BEFORE; i++) {
                add(new Idle(one), operation());
            }
            Idle task = new Idle(one);
            FileOperation operation = operation();
            Object @Nullable [] filler = FullHeap.fill(1 << 16, 1);
            addOrNot(task, operation);
            filler = null;
            for (int i = 0; i < LATER; i++) {
                add(new Idle(one), operation());
            }
            for (int i = 0; i < BEFORE + 1 + LATER; i++) {
                turns.start();
                turns.over();
            }
            int taken = 0;
            while (queue.waiting.poll() != null) {
                taken++;
            }
            return "tasks lost: %d, operations lost: %d"
                    .formatted(addedTasks - begun, addedOperations - taken);
        }

        private static FileOperation operation() {
            return FileOperation.moving(false, List.of(), () -> {});
        }

        private void addOrNot(DiskTask task, FileOperation operation) {
            try {
                turns.add(task);
                addedTasks++;
            } catch (OutOfMemoryError e) {
                // It does not wait, so it needs no turn.
            }
            try {
                queue.waiting.add(operation);
                addedOperations++;
            } catch (OutOfMemoryError e) {
                // The same.
            }
        }

        private void add(DiskTask task, FileOperation operation) {
            turns.add(task);
            queue.waiting.add(operation);
            addedTasks++;
            addedOperations++;
        }
    }

    /** A task that does nothing. */
    private static final class Idle extends DiskTask {
        private final Call call;

        Idle(Call call) {
            this.call = call;
        }

        @Override
        Call call() {
            return call;
        }

        @Override
        void run(SystemCalls calls) {}

        @Override
        void done() {}
    }
}

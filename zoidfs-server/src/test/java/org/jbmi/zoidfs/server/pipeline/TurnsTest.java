package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/** In which order the tasks of clients get their workers. */
@Timeout(30)
class TurnsTest {
    private final List<DiskTask> begun = new ArrayList<>();
    private final Turns turns = new Turns(1, begun::add);

    /** A task that does nothing. */
    private static final class Idle extends DiskTask {
        private final @Nullable Call call;

        Idle(@Nullable Call call) {
            this.call = call;
        }

        @Override
        @Nullable Call call() {
            return call;
        }

        @Override
        void run(SystemCalls calls) {}

        @Override
        void done() {}
    }

    private void startAll(int count) {
        for (int i = 0; i < count; i++) {
            turns.start();
            turns.over();
        }
    }

    @Test
    void oneClientsTasksKeepTheirOrderWhetherTheyKeepOthersFromAFileOrNot() {
        try (Bmi bmi = Bmi.open()) {
            PeerAddress client = bmi.lookup("tcp://127.0.0.1:1");
            Call call = new Call(client, 1, 0);
            List<DiskTask> tasks =
                    List.of(new Idle(call), new Idle(call), new Idle(call), new Idle(call));
            turns.add(call, tasks.get(0));
            turns.add(tasks.get(1));
            turns.add(call, tasks.get(2));
            turns.add(tasks.get(3));
            startAll(4);
            assertThat(begun).isEqualTo(tasks);
        }
    }

    /** It is over, with an error, and the next one has its turn. */
    @Test
    void aTaskThatNoWorkerCanTakeEnds() {
        List<DiskTask> ended = new ArrayList<>();
        Turns full =
                new Turns(
                        1,
                        task -> {
                            throw new OutOfMemoryError("planted by the test");
                        });
        try (Bmi bmi = Bmi.open()) {
            Call call = new Call(bmi.lookup("tcp://127.0.0.1:1"), 1, 0);
            for (int i = 0; i < 2; i++) {
                full.add(
                        new DiskTask() {
                            @Override
                            Call call() {
                                return call;
                            }

                            @Override
                            void run(SystemCalls calls) {}

                            @Override
                            void done() {
                                ended.add(this);
                                full.over();
                            }
                        });
            }
            full.start();
            assertThat(ended).hasSize(2);
        }
    }

    @Test
    void clientsTakeTurnsAndATaskWithoutACallNeedsNone() {
        try (Bmi bmi = Bmi.open()) {
            Call one = new Call(bmi.lookup("tcp://127.0.0.1:1"), 1, 0);
            Call other = new Call(bmi.lookup("tcp://127.0.0.1:2"), 1, 0);
            DiskTask first = new Idle(one);
            DiskTask second = new Idle(one);
            DiskTask others = new Idle(other);
            DiskTask free = new Idle(null);
            turns.add(first);
            turns.add(second);
            turns.add(others);
            turns.add(free);
            startAll(3);
            assertThat(begun).containsExactly(free, first, others, second);
        }
    }
}

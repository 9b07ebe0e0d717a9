package org.jbmi.rig.zoidfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The threads of one side. */
@Timeout(30)
class LoadThreadsTest {
    /** A step whose close fails. */
    private record Failing(List<String> closed) implements Step {
        @Override
        public void run() {}

        @Override
        public void close() throws IOException {
            closed.add("step");
            throw new IOException("a step");
        }
    }

    @Test
    void oneThatCannotBeClosedDoesNotKeepTheOthersOpen() {
        List<String> closed = new ArrayList<>();
        AutoCloseable owned =
                () -> {
                    closed.add("owned");
                    throw new IllegalStateException("an owned one");
                };
        Failing step = new Failing(closed);
        LoadThreads threads = new LoadThreads(List.of(step, step), List.of(owned));
        assertThatThrownBy(threads::close)
                .isInstanceOf(IOException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
        assertThat(closed).containsExactly("step", "step", "owned");
    }
}

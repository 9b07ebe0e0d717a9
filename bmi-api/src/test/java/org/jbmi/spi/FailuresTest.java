package org.jbmi.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The failure that is thrown when all steps are taken. */
class FailuresTest {
    @Test
    void theFirstFailureIsThrownAndKeepsFewOthers() {
        RuntimeException first = new IllegalStateException("first");
        RuntimeException second = new IllegalStateException("second");
        Throwable failure = Failures.first(Failures.first(null, first), second);
        for (int step = 0; step < 1000; step++) {
            failure = Failures.first(failure, new OutOfMemoryError("planted"));
        }
        Throwable thrown = failure;
        assertThatThrownBy(() -> Failures.rethrow(thrown)).isSameAs(first);
        assertThat(first.getSuppressed()).contains(second).hasSizeLessThan(10);
    }
}

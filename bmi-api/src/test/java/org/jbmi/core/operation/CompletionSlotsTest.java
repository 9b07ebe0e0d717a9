package org.jbmi.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The results of a test call. */
@Timeout(30)
class CompletionSlotsTest {
    private static void assertCode(ErrorCode code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void completionsAreReadWithinTheirCount() {
        assertCode(ErrorCode.EINVAL, () -> Completions.ofCapacity(-1));
        CompletionSlots results = new CompletionSlots(2);
        assertThat(results.capacity()).isEqualTo(2);
        assertThat(results.count()).isZero();
        assertCode(ErrorCode.EINVAL, () -> results.id(0));
        Object data = new Object();
        results.add(7, ErrorCode.ENOENT, 9, data, 4);
        assertThat(results.isFull()).isFalse();
        results.add(8, ErrorCode.SUCCESS, 0, null, 0);
        assertThat(results.isFull()).isTrue();
        assertThat(results.id(0)).isEqualTo(7);
        assertThat(results.outcome(0)).isEqualTo(ErrorCode.ENOENT);
        assertThat(results.sizeBytes(0)).isEqualTo(9);
        assertThat(results.userData(0)).isSameAs(data);
        assertThat(results.index(0)).isEqualTo(4);
        assertThat(results.userData(1)).isNull();
        for (int k : new int[] {-1, 2}) {
            assertCode(ErrorCode.EINVAL, () -> results.id(k));
            assertCode(ErrorCode.EINVAL, () -> results.outcome(k));
            assertCode(ErrorCode.EINVAL, () -> results.sizeBytes(k));
            assertCode(ErrorCode.EINVAL, () -> results.userData(k));
            assertCode(ErrorCode.EINVAL, () -> results.index(k));
        }
        results.clear();
        assertThat(results.count()).isZero();
        assertCode(ErrorCode.EINVAL, () -> results.id(0));
    }
}

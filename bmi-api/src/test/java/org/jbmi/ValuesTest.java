package org.jbmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.HashMap;
import java.util.Map;

/** The small values of the interface: results, filters, options of a post. */
@Timeout(30)
class ValuesTest {
    private static void assertCode(ErrorCode code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void unexpectedMessagesAreReadWithinTheirCount() {
        assertCode(ErrorCode.EINVAL, () -> UnexpectedMessages.ofCapacity(-1));
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(3);
        assertThat(messages.capacity()).isEqualTo(3);
        for (int i : new int[] {-1, 0, 3}) {
            assertCode(ErrorCode.EINVAL, () -> messages.peer(i));
            assertCode(ErrorCode.EINVAL, () -> messages.tag(i));
            assertCode(ErrorCode.EINVAL, () -> messages.messageClass(i));
            assertCode(ErrorCode.EINVAL, () -> messages.outcome(i));
            assertCode(ErrorCode.EINVAL, () -> messages.sizeBytes(i));
            assertCode(ErrorCode.EINVAL, () -> messages.payload(i));
            assertCode(ErrorCode.EINVAL, () -> messages.memory(i));
            assertCode(ErrorCode.EINVAL, () -> messages.offset(i));
            assertCode(ErrorCode.EINVAL, () -> messages.free(i));
        }
    }

    @Test
    void filtersAreClosedRanges() {
        UnexpectedFilter filter = new UnexpectedFilter(1, 3, -5, 5);
        assertThat(filter.accepts(1, -5)).isTrue();
        assertThat(filter.accepts(3, 5)).isTrue();
        assertThat(filter.accepts(0, 0)).isFalse();
        assertThat(filter.accepts(4, 0)).isFalse();
        assertThat(filter.accepts(2, -6)).isFalse();
        assertThat(filter.accepts(2, 6)).isFalse();
        assertThat(UnexpectedFilter.ALL.accepts(255, Integer.MIN_VALUE)).isTrue();
        assertThat(UnexpectedFilter.ALL.accepts(0, Integer.MAX_VALUE)).isTrue();
        assertThat(UnexpectedFilter.ofClass(9).accepts(9, -1)).isTrue();
        assertThat(UnexpectedFilter.ofClass(9).accepts(8, -1)).isFalse();
        assertThat(UnexpectedFilter.ofTags(4, 4).accepts(0, 4)).isTrue();
        assertThat(UnexpectedFilter.ofTags(4, 4).accepts(1, 4)).isFalse();
        assertCode(ErrorCode.EINVAL, () -> new UnexpectedFilter(-1, 3, 0, 0));
        assertCode(ErrorCode.EINVAL, () -> new UnexpectedFilter(0, 256, 0, 0));
        assertCode(ErrorCode.EINVAL, () -> new UnexpectedFilter(3, 2, 0, 0));
        assertCode(ErrorCode.EINVAL, () -> new UnexpectedFilter(0, 0, 1, 0));
    }

    @Test
    void postOptionsAreValues() {
        Map<String, String> hints = new HashMap<>(Map.of("a", "b"));
        PostOptions options =
                PostOptions.NONE
                        .withPoolOnly()
                        .withDeadlineMs(5)
                        .withIdleDeadlineMs(6)
                        .withHints(hints);
        hints.put("c", "d");
        assertThat(options.withHints(Map.of()).hints()).isEmpty();
        assertThat(options).isEqualTo(new PostOptions(true, 6, 5, Map.of("a", "b"), false));
        assertThat(options.withoutWaiting().withPoolOnly().withHints(hints).neverWaits()).isTrue();
        assertThat(options.withoutWaiting().withDeadlineMs(1).withIdleDeadlineMs(1).neverWaits())
                .isTrue();
        assertThat(PostOptions.NONE).isEqualTo(new PostOptions(false, 0, 0, Map.of(), false));
        assertCode(ErrorCode.EINVAL, () -> new PostOptions(false, -1, 0, Map.of(), false));
        assertCode(ErrorCode.EINVAL, () -> new PostOptions(false, 0, -1, Map.of(), false));
    }

    @Test
    void exceptionsCarryTheirCode() {
        IllegalStateException cause = new IllegalStateException();
        BmiException exception = new BmiException(ErrorCode.EIO, "What happened.", cause);
        assertThat(exception.code()).isEqualTo(ErrorCode.EIO);
        assertThat(exception).hasMessage("What happened.").hasCause(cause);
    }
}

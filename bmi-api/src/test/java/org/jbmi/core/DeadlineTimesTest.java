package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.PostOptions;
import org.jbmi.spi.Operation;
import org.junit.jupiter.api.Test;

/** When an operation expires, without waiting for it. */
class DeadlineTimesTest extends ScriptedTest {
    private static final long MS = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private long receive(PostOptions options) {
        return context.postReceive(peer, buffer, 1, null, options);
    }

    @Test
    void methodSeesTheSameTimes() {
        long now = System.nanoTime();
        long second = 1_000_000_000L;
        Operation idle = method.held(receive(PostOptions.NONE.withIdleDeadlineMs(100_000)));
        assertThat(idle.isExpired(now + 90 * second)).isFalse();
        assertThat(idle.isExpired(now + 200 * second)).isTrue();
        idle.progressed(now + 90 * second);
        assertThat(idle.isExpired(now + 180 * second)).isFalse();
        PostOptions options = PostOptions.NONE.withIdleDeadlineMs(100_000).withDeadlineMs(150_000);
        Operation both = method.held(receive(options));
        both.progressed(now + 90 * second);
        assertThat(both.isExpired(now + 140 * second)).isFalse();
        assertThat(both.isExpired(now + 180 * second)).isTrue();
        options = PostOptions.NONE.withIdleDeadlineMs(500_000).withDeadlineMs(100_000);
        Operation first = method.held(receive(options));
        assertThat(first.isExpired(now + 200 * second)).isTrue();
        Operation none = method.held(receive());
        assertThat(none.hasDeadline()).isFalse();
        assertThat(none.isExpired(now + 1)).isFalse();
        Operation endless = method.held(receive(PostOptions.NONE.withDeadlineMs(Long.MAX_VALUE)));
        assertThat(endless.isExpired(now + 1_000_000_000L)).isFalse();
        endless.progressed(now);
        assertThat(endless.isExpired(now + 1_000_000_000L)).isFalse();
    }

    @Test
    void negativeTimesAreRefused() {
        assertCode(ErrorCode.EINVAL, () -> PostOptions.NONE.withDeadlineMs(-1));
        assertCode(ErrorCode.EINVAL, () -> PostOptions.NONE.withIdleDeadlineMs(-1));
    }

    /** To the nanosecond: a deadline counts from a moment within the post. */
    @Test
    void deadlineIsAsFarAwayAsWasAskedFor() {
        PostOptions none = PostOptions.NONE;
        assertExpiresAfter(70_000, none.withDeadlineMs(70_000));
        assertExpiresAfter(1, none.withDeadlineMs(1));
        assertExpiresAfter(1, none.withIdleDeadlineMs(1));
        assertExpiresAfter(70_000, none.withIdleDeadlineMs(70_000));
        assertExpiresAfter(60_000, none.withIdleDeadlineMs(60_000).withDeadlineMs(70_000));
        assertExpiresAfter(70_000, none.withIdleDeadlineMs(80_000).withDeadlineMs(70_000));
        long century = 100L * 366 * 24 * 3600 * 1000;
        assertThat(method.held(receive(none.withDeadlineMs(Long.MAX_VALUE))))
                .matches(o -> o.remainingNs(System.nanoTime()) > century * MS / 2);
        assertThat(method.held(receive())).matches(o -> o.remainingNs(0) == Long.MAX_VALUE);
    }

    private void assertExpiresAfter(long milliseconds, PostOptions options) {
        long before = System.nanoTime();
        Operation operation = method.held(receive(options));
        long after = System.nanoTime();
        assertThat(operation.hasDeadline()).isTrue();
        assertThat(operation.remainingNs(before)).isGreaterThanOrEqualTo(milliseconds * MS);
        assertThat(operation.remainingNs(after)).isLessThanOrEqualTo(milliseconds * MS);
        assertThat(operation.isExpired(after + milliseconds * MS)).isTrue();
        assertThat(operation.isExpired(before + milliseconds * MS - 1)).isFalse();
    }

    @Test
    void progressMovesAnIdleDeadlineToTheNanosecond() {
        Operation idle = method.held(receive(PostOptions.NONE.withIdleDeadlineMs(10_000)));
        long later = System.nanoTime() + 5 * SECOND;
        idle.progressed(later);
        assertThat(idle.remainingNs(later)).isEqualTo(10 * SECOND);
        Operation fixed = method.held(receive(PostOptions.NONE.withDeadlineMs(10_000)));
        long remaining = fixed.remainingNs(later);
        fixed.progressed(later);
        assertThat(fixed.remainingNs(later)).isEqualTo(remaining);
    }
}

package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.Operation;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zoid.common.Seams;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.atomic.AtomicLong;

/** A post looks whether a daemon has come back; interrupts do not keep it from that. */
@Timeout(30)
class ReattachTest {
    private final AtomicLong nowNs = new AtomicLong(NanoClock.SYSTEM.nanoTime());
    private final ZoidClient client =
            new ZoidClient(new HostWithKnobs(), (waitNs, isOver, events) -> attempt(), seams());
    private ErrorCode failure = ErrorCode.ENETDOWN;
    private int attempts;
    private boolean wasInterrupted;

    private Seams seams() {
        Seams real = Seams.production();
        return new Seams(nowNs::get, real.waiting(), real.liveness(), real.parking());
    }

    private ClientLink attempt() {
        attempts++;
        wasInterrupted |= Thread.currentThread().isInterrupted();
        throw new BmiException(failure, "It does not answer.");
    }

    private void post() {
        assertThat(client.post(new TestOperation())).isEqualTo(ErrorCode.EHOSTDOWN.negativeValue());
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void aThreadThatStaysInterruptedDialsAllTheSame() {
        Thread.currentThread().interrupt();
        post();
        boolean isStillInterrupted = Thread.interrupted();
        assertThat(attempts).isOne();
        assertThat(wasInterrupted).as("while it dials").isFalse();
        assertThat(isStillInterrupted).as("after that").isTrue();
    }

    @Test
    void whereNobodyAnswersTheNextPostsDoNotDial() {
        post();
        post();
        assertThat(attempts).isOne();
        nowNs.addAndGet(10_000_000_000L);
        post();
        assertThat(attempts).isEqualTo(2);
    }

    @Test
    void aDialThatWasInterruptedKeepsNobodyElseFromDialling() {
        failure = ErrorCode.EINTR;
        post();
        post();
        assertThat(attempts).isEqualTo(2);
    }

    private static final class TestOperation extends Operation {}
}

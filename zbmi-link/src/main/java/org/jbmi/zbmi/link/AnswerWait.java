package org.jbmi.zbmi.link;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.attach.Interrupts;

import java.util.function.BooleanSupplier;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;

/**
 * How a thread waits for an answer. It makes progress for all threads, polls for as long as its
 * policy says, and then sleeps for a limited time. Any number of threads may wait.
 */
public final class AnswerWait<C> {
    private final NanoClock clock;
    private final long sliceNs;
    private final Runnable progress;
    private final Runnable afterProgress;
    private final BooleanSupplier isBroken;
    private final Predicate<C> isAnswered;
    private final Predicate<C> giveUp;
    private final ObjLongConsumer<C> sleep;

    /**
     * The waits of a session.
     *
     * @param sliceNs longest sleep
     * @param progress dispatches what has come
     * @param afterProgress does what is not allowed in there, while there is no answer
     * @param isAnswered whether a call has its answer
     * @param giveUp waits for it no more; returns whether the answer has come even so
     * @param sleep until the answer to a call comes, or for a time in nanoseconds
     */
    public AnswerWait(
            NanoClock clock,
            long sliceNs,
            Runnable progress,
            Runnable afterProgress,
            BooleanSupplier isBroken,
            Predicate<C> isAnswered,
            Predicate<C> giveUp,
            ObjLongConsumer<C> sleep) {
        this.clock = clock;
        this.sliceNs = sliceNs;
        this.progress = progress;
        this.afterProgress = afterProgress;
        this.isBroken = isBroken;
        this.isAnswered = isAnswered;
        this.giveUp = giveUp;
        this.sleep = sleep;
    }

    /**
     * Waits. An interrupt does not end the wait.
     *
     * @param policy how long to look before a sleep
     * @return {@link PeerLine#OK}, {@link PeerLine#TIMED_OUT} or {@link PeerLine#BROKEN}
     */
    public int await(C call, WaitPolicy policy, long startNs, long timeoutNs) {
        long lookNs = policy.lookNs();
        while (true) {
            progress.run();
            if (isAnswered.test(call)) {
                policy.ended(lookNs, clock.nanoTime() - startNs);
                return PeerLine.OK;
            }
            afterProgress.run();
            if (isBroken.getAsBoolean()) {
                return giveUp.test(call) ? PeerLine.OK : PeerLine.BROKEN;
            }
            long waitedNs = clock.nanoTime() - startNs;
            if (waitedNs >= timeoutNs) {
                return giveUp.test(call) ? PeerLine.OK : PeerLine.TIMED_OUT;
            }
            if (waitedNs < lookNs) {
                policy.pause();
            } else {
                sleep(call, Math.min(sliceNs, timeoutNs - waitedNs));
            }
        }
    }

    private void sleep(C call, long timeNs) {
        boolean wasInterrupted = Interrupts.setAside();
        try {
            sleep.accept(call, timeNs);
        } finally {
            Interrupts.restore(wasInterrupted);
        }
    }
}

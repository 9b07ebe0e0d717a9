package org.jbmi.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.core.waiting.WaiterPool;
import org.jbmi.spi.WaitPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.locks.LockSupport;

/** Who gets a completion that several callers want, one step after another in one thread. */
@Timeout(30)
class CompletionQueueTest {
    private static final int EIO = -5;

    private final OperationTable table = new OperationTable(64);
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final Progress progress =
            new Progress(
                    new OperationRounds(deadlines, new OperationLooks(table)),
                    WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0));
    private final CompletionQueue queue =
            new CompletionQueue(table, deadlines, progress, new CoreEvents());
    private final CompletionSlots out = new CompletionSlots(4);
    private final CompletionSlots none = new CompletionSlots(0);
    private final Waiter first = new Waiter();
    private final Waiter second = new Waiter();
    private final Waiter third = new Waiter();

    private CoreOperation posted() {
        CoreOperation operation = Stocks.take(queue.stock());
        operation.queue = queue;
        operation.begin(table.slotBits());
        return operation;
    }

    private int claim(CoreOperation operation, long id, Waiter waiter) {
        return queue.claim(operation, id, 0, waiter, out);
    }

    private int unclaim(
            CoreOperation operation, long id, Waiter waiter, @Nullable CompletionSlots into) {
        return queue.unclaim(operation, id, 7, waiter, into);
    }

    private void assertSignalled(Waiter... expected) {
        for (Waiter waiter : new Waiter[] {first, second, third}) {
            assertThat(waiter.isSignalled())
                    .isEqualTo(java.util.List.of(expected).contains(waiter));
        }
    }

    @Test
    void completionSignalsEveryClaimantAndGoesToTheOneThatComesFirst() {
        CoreOperation operation = posted();
        long id = operation.id();
        assertThat(claim(operation, id, first)).isZero();
        assertThat(claim(operation, id, second)).isZero();
        assertThat(claim(operation, id, third)).isZero();
        assertSignalled();

        queue.complete(operation, 0, 12);

        assertSignalled(first, second, third);
        assertThat(queue.drain(out)).as("it is theirs").isZero();
        assertThat(unclaim(operation, id, second, out)).isEqualTo(1);
        assertThat(out.id(0)).isEqualTo(id);
        assertThat(out.sizeBytes(0)).isEqualTo(12);
        assertThat(out.index(0)).isEqualTo(7);
        assertThat(unclaim(operation, id, first, out)).isEqualTo(-1);
        assertThat(unclaim(operation, id, third, out)).isEqualTo(-1);
        assertThat(out.count()).isEqualTo(1);
        assertThat(table.inUse()).isZero();
    }

    /** A thread that closes another context may have found the operation there before. */
    @Test
    void anotherContextAbandonsNoOperationOfThisOne() {
        CoreOperation operation = posted();
        assertThat(claim(operation, operation.id(), first)).isZero();
        new CompletionQueue(table, deadlines, progress, new CoreEvents()).abandon(operation);
        assertSignalled();
        queue.abandon(operation);
        assertSignalled(first);
    }

    /** In whichever order claims end, only those that are left are told. */
    @Test
    void claimThatEndedIsNotSignalled() {
        Waiter[][] orders = {{first, second}, {first, third}, {second, third}, {third, second}};
        for (Waiter[] order : orders) {
            for (Waiter waiter : new Waiter[] {first, second, third}) {
                waiter.rearm();
            }
            CoreOperation operation = posted();
            long id = operation.id();
            claim(operation, id, first);
            claim(operation, id, second);
            claim(operation, id, third);
            for (Waiter over : order) {
                assertThat(unclaim(operation, id, over, out)).isZero();
            }
            queue.complete(operation, 0, 1);
            for (Waiter waiter : new Waiter[] {first, second, third}) {
                boolean left = waiter != order[0] && waiter != order[1];
                assertThat(waiter.isSignalled()).isEqualTo(left);
                if (left) {
                    out.clear();
                    assertThat(unclaim(operation, id, waiter, out)).isEqualTo(1);
                }
            }
        }
        assertThat(table.inUse()).isZero();
    }

    @Test
    void operationWithoutClaimsLeftIsEverybodys() {
        CoreOperation operation = posted();
        long id = operation.id();
        claim(operation, id, first);
        claim(operation, id, second);
        unclaim(operation, id, first, out);
        unclaim(operation, id, second, out);
        queue.complete(operation, 0, 1);
        assertSignalled();
        assertThat(queue.drain(out)).isEqualTo(1);
        assertThat(out.id(0)).isEqualTo(id);
    }

    @Test
    void claimantWithoutRoomLeavesTheCompletionToTheOtherClaimant() {
        CoreOperation operation = posted();
        long id = operation.id();
        claim(operation, id, first);
        claim(operation, id, second);
        queue.complete(operation, EIO, 12);
        assertThat(unclaim(operation, id, first, none)).isZero();
        assertThat(queue.drain(out)).isZero();
        assertThat(unclaim(operation, id, second, out)).isEqualTo(1);
        assertThat(out.outcome(0)).isEqualTo(ErrorCode.EIO);
        assertThat(out.sizeBytes(0)).isZero();
    }

    /** A full result or a failed call: the completion goes to the queue, and a caller is woken. */
    @Test
    void lastClaimantThatReportsNothingHandsTheCompletionToWhoeverIsBlocked() {
        CompletionSlots full = new CompletionSlots(1);
        full.add(1, ErrorCode.SUCCESS, 0, null, 0);
        for (CompletionSlots into : new CompletionSlots[] {full, none, null}) {
            CoreOperation operation = posted();
            long id = operation.id();
            claim(operation, id, first);
            queue.complete(operation, 0, 5);
            assertThat(queue.enter(second)).isTrue();
            assertThat(queue.enter(third)).isTrue();
            assertThat(unclaim(operation, id, first, into)).isZero();
            assertThat(second.isSignalled()).isTrue();
            assertThat(third.isSignalled()).as("one completion is for one").isFalse();
            queue.leave(second, true);
            queue.leave(third, true);
            out.clear();
            assertThat(queue.drain(out)).isEqualTo(1);
            assertThat(out.id(0)).isEqualTo(id);
            assertThat(full.count()).isEqualTo(1);
        }
        assertThat(table.inUse()).isZero();
    }

    @Test
    void operationThatIsDoneIsReportedInsteadOfClaimed() {
        CoreOperation operation = posted();
        long id = operation.id();
        queue.complete(operation, 0, 3);
        assertThat(claim(operation, id, first)).isEqualTo(1);
        assertThat(out.id(0)).isEqualTo(id);
        assertThat(claim(operation, id, first)).isEqualTo(-1);
        assertThat(table.inUse()).isZero();
    }

    @Test
    void whoTakesAClaimedCompletionTellsItsClaimants() {
        CoreOperation operation = posted();
        long id = operation.id();
        claim(operation, id, first);
        claim(operation, id, second);
        queue.complete(operation, 0, 1);
        first.rearm();
        second.rearm();
        assertThat(queue.take(operation, id, 0, out)).isEqualTo(1);
        assertSignalled(first, second);
    }

    @Test
    void abandonedOperationSignalsItsClaimants() {
        CoreOperation operation = posted();
        claim(operation, operation.id(), first);
        claim(operation, operation.id(), second);
        queue.abandon(operation);
        assertSignalled(first, second);
    }

    /** Whoever guessed the id of a post that ends at once is told that it is over. */
    @Test
    void retractedOperationSignalsWhoGuessedItsId() {
        CoreOperation operation = posted();
        long id = operation.id();
        claim(operation, id, first);
        queue.retract(operation);
        assertSignalled(first);
        assertThat(unclaim(operation, id, first, out)).isEqualTo(-1);
        assertThat(table.inUse()).isZero();
    }

    @Test
    void eachCompletionSignalsOneOfThoseThatAreBlockedTheOldestFirst() {
        CoreOperation one = posted();
        CoreOperation two = posted();
        assertThat(queue.enter(first)).isTrue();
        assertThat(queue.enter(second)).isTrue();
        assertThat(queue.enter(third)).isTrue();
        queue.complete(one, 0, 1);
        assertSignalled(first);
        queue.complete(two, 0, 1);
        assertSignalled(first, second);
    }

    @Test
    void threadOfWhoeverGetsACompletionIsWoken() {
        CoreOperation claimed = posted();
        WaiterPool pool = new WaiterPool();
        Waiter own = pool.take();
        claim(claimed, claimed.id(), own);
        assertWakesThisThread(() -> queue.complete(claimed, 0, 1));
        assertThat(unclaim(claimed, claimed.id(), own, out)).isEqualTo(1);
        queue.enter(own);
        assertWakesThisThread(() -> queue.complete(posted(), 0, 1));
        queue.drain(out);
        queue.enter(own);
        assertWakesThisThread(queue::nudge);
        pool.give(own);
    }

    /** Who was woken while awake does not fall asleep in its next park. */
    private static void assertWakesThisThread(Runnable call) {
        LockSupport.parkNanos(1); // uses up what may be left of an earlier one
        Thread other = Thread.ofPlatform().start(call);
        while (other.isAlive()) {
            Thread.onSpinWait(); // to join it would use up what is to be seen
        }
        long begun = System.nanoTime();
        LockSupport.parkNanos(20_000_000_000L);
        assertThat(System.nanoTime() - begun).isLessThan(10_000_000_000L);
    }

    @Test
    void drainCountsWhatItAdds() {
        queue.complete(posted(), 0, 1);
        assertThat(queue.drain(out)).isEqualTo(1);
        queue.complete(posted(), 0, 1);
        queue.complete(posted(), 0, 1);
        assertThat(queue.drain(out)).isEqualTo(2);
        assertThat(out.count()).isEqualTo(3);
    }

    @Test
    void whoeverLeavesIsNotSignalled() {
        queue.enter(first);
        queue.enter(second);
        queue.leave(first, true);
        queue.complete(posted(), 0, 1);
        assertSignalled(second);
    }

    @Test
    void nobodyBlocksWhileACompletionWaits() {
        queue.complete(posted(), 0, 1);
        assertThat(queue.enter(first)).isFalse();
        assertThat(queue.drain(out)).isEqualTo(1);
        assertThat(queue.enter(first)).isTrue();
    }

    /** A signal of the wait before must not end this one. */
    @Test
    void whoeverEntersWaitsForCompletionsOfItsOwn() {
        first.mark();
        assertThat(queue.enter(first)).isTrue();
        assertThat(first.isSignalled()).isFalse();
    }

    @Test
    void whoeverLeavesSomethingForLackOfRoomWakesTheNext() {
        queue.enter(first);
        queue.enter(second);
        queue.enter(third);
        queue.complete(posted(), 0, 1);
        queue.leave(first, true); // it has not looked yet
        queue.complete(posted(), 0, 1);
        queue.leave(second, true);
        assertThat(third.isSignalled()).isFalse();
        assertThat(queue.drain(new CompletionSlots(1))).isEqualTo(1);
        assertThat(third.isSignalled()).isTrue();
        assertThat(queue.drain(out)).isEqualTo(1);
    }

    @Test
    void messageSignalsOneOfThoseThatAreBlocked() {
        queue.nudge();
        queue.enter(first);
        queue.enter(second);
        queue.nudge();
        assertSignalled(first);
        queue.leave(first, true);
        queue.nudge();
        assertSignalled(first, second);
        queue.leave(second, true);
        queue.nudge();
        assertSignalled(first, second);
    }

    @Test
    void signalForAllReachesAll() {
        queue.enter(first);
        queue.enter(second);
        queue.enter(third);
        queue.signalAll();
        assertSignalled(first, second, third);
    }

    @Test
    void closingForgetsWhatIsDoneAndWhatWillBe() {
        CoreOperation waits = posted();
        CoreOperation waitsToo = posted();
        CoreOperation pending = posted();
        CoreOperation claimed = posted();
        long id = claimed.id();
        queue.complete(waits, 0, 1);
        queue.complete(waitsToo, 0, 1);
        claim(claimed, id, first);
        assertThat(queue.isClosed()).isFalse();

        queue.close();

        assertThat(queue.isClosed()).isTrue();
        assertThat(queue.drain(out)).isZero();
        assertThat(table.inUse()).isEqualTo(2);
        queue.complete(pending, 0, 1);
        assertThat(table.inUse()).isEqualTo(1);
        queue.complete(claimed, 0, 1);
        assertSignalled(first);
        assertThat(unclaim(claimed, id, first, none)).isZero();
        assertThat(table.inUse()).isZero();
        assertThat(queue.drain(out)).isZero();
    }

    @Test
    void closingSignalsWhoIsBlockedAndLetsNobodyElseBlock() {
        queue.enter(first);
        queue.enter(second);
        queue.close();
        assertSignalled(first, second);
        assertThat(queue.enter(third)).isFalse();
    }
}

package org.jbmi.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.peer.PeerTable;
import org.jbmi.core.unexpected.UnexpectedStore;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.WaiterPool;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.SpinLock;
import org.jbmi.spi.WaitPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** A completion arrives while a caller that blocks looks for unexpected messages. */
@Timeout(60)
class AnnouncementTest {
    private static final class Sender extends MethodAddress {
        @Override
        public String displayName() {
            return "sender";
        }
    }

    private final OperationTable table = new OperationTable(64);
    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final Progress progress =
            new Progress(
                    new OperationRounds(deadlines, new OperationLooks(table)),
                    WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0));
    private final CompletionQueue queue =
            new CompletionQueue(table, deadlines, progress, new CoreEvents());
    private final PeerTable peers = new PeerTable(new CoreEvents(), progress, peer -> {}, false);
    private final WaiterPool waiters = new WaiterPool();
    private final UnexpectedStore unexpected =
            new UnexpectedStore(peers, progress, waiters, queue::nudge);
    private final Tester tester = new Tester(queue, table, unexpected, progress, waiters);
    private final CompletionSlots out = new CompletionSlots(4);

    @Test
    void theNextCallReturnsForTheMessage() throws Exception {
        CoreOperation operation = Stocks.take(queue.stock());
        operation.begin(table.slotBits());
        unexpected.arrived(
                null, "test", new Sender(), 1, 0, ErrorCode.SUCCESS, MemorySegment.NULL, 0, 0, 0);
        FutureTask<Integer> call = new FutureTask<>(this::blocks);
        Thread caller = new Thread(call, "caller");
        SpinLock lock = peers.lock();
        lock.lock();
        try {
            caller.start();
            while (!isLooking(caller)) {
                assertThat(caller.isAlive()).as("the caller will still look").isTrue();
                Thread.onSpinWait();
            }
            queue.complete(operation, 0, 1);
        } finally {
            lock.unlock();
        }
        assertThat(call.get(30, TimeUnit.SECONDS)).isOne();
        caller.join();

        FutureTask<Integer> next = new FutureTask<>(this::blocks);
        Thread again = new Thread(next, "again");
        again.start();
        try {
            assertThat(next.get(20, TimeUnit.SECONDS)).isZero();
        } finally {
            again.interrupt(); // where it sleeps over the message
            again.join();
        }
    }

    private int blocks() {
        return tester.testContext(out, 3_600_000);
    }

    private static boolean isLooking(Thread caller) {
        return Arrays.stream(caller.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("newestForContexts"));
    }
}

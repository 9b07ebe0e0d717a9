package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.pool.MemoryPool;
import org.jbmi.observe.Counters;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.SlotTable;
import org.jbmi.spi.SpinLock;
import org.jbmi.zoid.common.DeferredSlots;
import org.jbmi.zoid.common.SessionGuard;
import org.jbmi.zoid.common.Slot;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Who gets memory that was freed, with a real pool and without an engine. */
@Timeout(30)
class RetriesTest {
    private static final long POOL = 1024;

    private static final class TestOperation extends Operation {
        TestOperation(MethodAddress peer, int tag, OperationKind kind) {
            this.address = peer;
            this.tag = tag;
            this.kind = kind;
        }
    }

    private final MethodAddress peer = ZoidAddress.client(1, 1);
    private final MemoryPool pool = MemoryPool.privatePool(POOL);
    private final ServerCounters counters = new ServerCounters(Counters.inMemory());
    private final SessionGuard guard = new SessionGuard(new SpinLock());
    private final Placement placement =
            new Placement(pool, new SegmentMemory(pool.segment()), counters, guard);
    private final SlotTable<ServerOperation> slots =
            Slot.table(100, index -> new ServerOperation(index, counters.protocolErrors));
    private final List<ServerOperation> launched = new ArrayList<>();
    private Runnable whileLaunching = () -> {};
    private int wakes;
    private final DeferredSlots<ServerOperation> deferred = new DeferredSlots<>();
    private final Retries retries =
            new Retries(
                    guard,
                    placement,
                    slot -> {
                        launched.add(slot);
                        whileLaunching.run();
                    },
                    counters,
                    deferred,
                    () -> wakes++);

    private ServerOperation slot(int tag) {
        return slot(tag, OperationKind.SEND);
    }

    private ServerOperation slot(int tag, OperationKind kind) {
        return Objects.requireNonNull(Slot.take(slots, new TestOperation(peer, tag, kind)));
    }

    /** Queues an operation that needs this much, as a post does that found no memory. */
    private ServerOperation queued(int tag, long bytes) {
        ServerOperation slot = slot(tag);
        retries.add(slot, bytes);
        return slot;
    }

    /** What an operation has got is free again. */
    private void end(ServerOperation slot) {
        assertThat(placement.release(slot, false)).isTrue();
        serve();
    }

    /** Memory was freed, and somebody makes progress. */
    private void serve() {
        retries.memoryFreed();
        retries.serve();
    }

    /** An operation that has all of the pool. */
    private ServerOperation holdEverything() {
        ServerOperation holder = slot(0);
        assertThat(placement.allocate(holder, POOL)).isTrue();
        return holder;
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(retries.isIdle()).isTrue();
        assertThat(pool.allocator().usedBytes()).isZero();
        pool.close();
    }

    @Test
    void nobodyMustWaitWhereNobodyWaits() {
        assertThat(retries.isIdle()).isTrue();
        assertThat(retries.mustWait(slot(1), POOL)).isFalse();
        serve();
        assertThat(launched).isEmpty();
    }

    @Test
    void anOperationThatWaitsIsLaunchedOnceWhenMemoryIsFreed() {
        ServerOperation holder = holdEverything();
        ServerOperation waiting = queued(1, 64);
        assertThat(counters.noMemoryWaits.get()).isEqualTo(1);
        assertThat(retries.isIdle()).isFalse();
        assertThat(waiting.state).isEqualTo(ServerOperation.QUEUED);
        assertThat(waiting.inPost).isFalse();
        assertThat(waiting.needBytes).isEqualTo(64);
        serve();
        assertThat(launched).isEmpty();
        end(holder);
        assertThat(launched).containsExactly(waiting);
        assertThat(waiting.state).isEqualTo(ServerOperation.POSTING);
        assertThat(waiting.inPost).isTrue();
        assertThat(waiting.entry).isNull();
        assertThat(waiting.temporary).isEqualTo(waiting.offset).isNotEqualTo(ServerOperation.NONE);
        assertThat(retries.isIdle()).isTrue();
        serve();
        assertThat(launched).hasSize(1);
        end(waiting);
    }

    @Test
    void whoFreesOnlyLeavesWordAndProgressServes() {
        ServerOperation holder = holdEverything();
        ServerOperation waiting = queued(1, 64);
        placement.release(holder, false);
        retries.memoryFreed();
        retries.memoryFreed();
        assertThat(launched).isEmpty();
        assertThat(wakes).as("a lead that sleeps looks once").isEqualTo(1);
        assertThat(deferred.hasWork()).isTrue();
        assertThat(retries.serve()).isEqualTo(1);
        assertThat(deferred.hasWork()).isFalse();
        assertThat(launched).containsExactly(waiting);
        assertThat(retries.serve()).isZero();
        end(waiting);
    }

    @Test
    void anErrorInOneLaunchKeepsNobodyElseFromBeingServed() {
        ServerOperation holder = holdEverything();
        ServerOperation first = queued(1, 64);
        ServerOperation second = queued(1, 64);
        whileLaunching =
                () -> {
                    whileLaunching = () -> {};
                    throw new OutOfMemoryError("as a full heap would");
                };
        placement.release(holder, false);
        retries.memoryFreed();
        int before = wakes;
        assertThatThrownBy(retries::serve).isInstanceOf(OutOfMemoryError.class);
        assertThat(wakes).as("somebody is woken to try again").isEqualTo(before + 1);
        assertThat(retries.serve()).isEqualTo(1);
        assertThat(launched).containsExactly(first, second);
        end(first);
        end(second);
    }

    @Test
    void whileSomebodyWaitsOthersThatNeedMemoryWaitBehind() {
        ServerOperation holder = holdEverything();
        ServerOperation waiting = queued(1, 64);
        assertThat(retries.mustWait(slot(2), 1)).as("needs memory").isTrue();
        assertThat(retries.mustWait(slot(2), 0)).as("needs none, another tag").isFalse();
        assertThat(retries.mustWait(slot(1), 0)).as("needs none, the same tag").isTrue();
        assertThat(retries.mustWait(slot(1, OperationKind.RECEIVE), 0))
                .as("needs none, the other direction")
                .isFalse();
        end(holder);
        assertThat(retries.mustWait(slot(1), 64)).isFalse();
        end(waiting);
    }

    @Test
    void oneThatNeedsNoMemoryKeepsItsPlaceBehindOneOfItsTag() {
        ServerOperation holder = holdEverything();
        ServerOperation first = queued(1, 64);
        ServerOperation second = queued(1, 0);
        serve();
        assertThat(launched).isEmpty();
        end(holder);
        assertThat(launched).containsExactly(first, second);
        end(first);
    }

    @Test
    void aSmallOnePassesALargeOneOfAnotherTag() {
        ServerOperation holder = holdEverything();
        ServerOperation half = slot(9);
        placement.release(holder, false);
        assertThat(placement.allocate(half, POOL / 2)).isTrue();
        ServerOperation large = queued(1, POOL);
        ServerOperation small = queued(2, POOL / 2);
        serve();
        assertThat(launched).containsExactly(small);
        end(half);
        assertThat(launched).containsExactly(small);
        end(small);
        assertThat(launched).containsExactly(small, large);
        end(large);
    }

    @Test
    void whatWasCancelledIsNotLaunched() {
        ServerOperation holder = holdEverything();
        ServerOperation cancelled = queued(1, 64);
        ServerOperation other = queued(1, 64);
        assertThat(retries.remove(cancelled)).isTrue();
        assertThat(cancelled.entry).isNull();
        assertThat(retries.remove(cancelled)).isFalse();
        assertThat(retries.isIdle()).isFalse();
        end(holder);
        assertThat(launched).containsExactly(other);
        assertThat(retries.remove(other)).as("launched before").isFalse();
        end(other);
    }

    @Test
    void theLastThatIsCancelledLeavesNobodyWaiting() {
        ServerOperation holder = holdEverything();
        ServerOperation cancelled = queued(1, 64);
        assertThat(retries.remove(cancelled)).isTrue();
        assertThat(retries.isIdle()).isTrue();
        end(holder);
        assertThat(launched).isEmpty();
    }

    @Test
    void whatIsFreedWhileOneIsLaunchedServesTheNext() {
        ServerOperation holder = holdEverything();
        ServerOperation first = queued(1, POOL);
        ServerOperation second = queued(2, POOL);
        List<ServerOperation> duringFirst = new ArrayList<>();
        whileLaunching =
                () -> {
                    whileLaunching = () -> {};
                    end(first);
                    duringFirst.addAll(launched);
                };
        end(holder);
        assertThat(duringFirst).as("one at a time").containsExactly(first);
        assertThat(launched).containsExactly(first, second);
        end(second);
    }

    @Test
    void anotherThreadThatFreesMeanwhileOnlyLeavesWord() throws InterruptedException {
        ServerOperation holder = holdEverything();
        ServerOperation first = queued(1, POOL / 2);
        ServerOperation second = queued(2, POOL);
        List<ServerOperation> byTheOther = new ArrayList<>();
        whileLaunching =
                () -> {
                    whileLaunching = () -> {};
                    Thread other =
                            new Thread(
                                    () -> {
                                        end(first);
                                        byTheOther.addAll(launched);
                                    });
                    other.start();
                    try {
                        other.join();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                };
        end(holder);
        assertThat(byTheOther).as("launched until the other returned").containsExactly(first);
        assertThat(launched).containsExactly(first, second);
        end(second);
    }
}

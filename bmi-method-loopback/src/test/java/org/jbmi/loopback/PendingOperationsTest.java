package org.jbmi.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PendingOperation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What an instance tells of its operations that are not reported. */
@Timeout(30)
class PendingOperationsTest {
    private static final int SIZE_BYTES = 48;
    private static final int FEW_MS = 20;

    private final LoopbackHub hub = new LoopbackHub(2);
    private final MemorySegment buffer = Arena.ofAuto().allocate(SIZE_BYTES);

    @Test
    void tellsEachFromItsPostToItsReport() {
        try (Bmi server = builder().listen("loopback://a").open();
                Bmi client = builder().listen("loopback://b").open();
                CompletionContext receiving = server.openContext();
                CompletionContext sending = client.openContext()) {
            assertThat(server.pendingOperations(10)).isEmpty();
            PeerAddress peer = server.lookup("loopback://b");
            long first = receiving.postReceive(peer, buffer, 7);
            assertThat(server.pendingOperations(10))
                    .singleElement()
                    .satisfies(
                            found -> {
                                assertThat(found.id()).isEqualTo(first);
                                assertThat(found.method()).isEqualTo("loopback");
                                assertThat(found.peer()).isEqualTo("loopback://b");
                                assertThat(found.kind()).isEqualTo("receive");
                                assertThat(found.tag()).isEqualTo(7);
                                assertThat(found.sizeBytes()).isEqualTo(SIZE_BYTES);
                                assertThat(found.isOver()).isFalse();
                            });

            sending.postSend(client.lookup("loopback://a"), buffer, 7);
            assertThat(server.pendingOperations(10))
                    .singleElement()
                    .matches(PendingOperation::isOver, "has its outcome");
            receiving.test(first, Completions.ofCapacity(1), 0);
            assertThat(server.pendingOperations(10)).isEmpty();
        }
    }

    @Test
    void theOldestComeFirstAndNoMoreThanAskedFor() {
        try (Bmi server = builder().listen("loopback://a").open();
                Bmi client = builder().listen("loopback://b").open();
                CompletionContext receiving = server.openContext()) {
            assertThat(client.isClosed()).isFalse();
            PeerAddress peer = server.lookup("loopback://b");
            long[] ids = new long[4];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = receiving.postReceive(peer, buffer, i);
                assertThat(server.pendingOperations(ids.length)).hasSize(i + 1);
            }
            assertThat(server.pendingOperations(2))
                    .extracting(PendingOperation::id)
                    .containsExactly(ids[0], ids[1]);
            assertThat(server.pendingOperations(ids.length))
                    .extracting(PendingOperation::id)
                    .containsExactly(ids[0], ids[1], ids[2], ids[3]);
            assertThatThrownBy(() -> server.pendingOperations(0)).isInstanceOf(BmiException.class);
        }
    }

    /** A slot of the table that is used again is not as old as its former use. */
    @Test
    void anAgeIsThatOfThisUse() {
        try (Bmi server = builder().listen("loopback://a").knob("bmi.maxOperations", "64").open();
                Bmi client = builder().listen("loopback://b").open();
                CompletionContext receiving = server.openContext()) {
            PeerAddress peer = server.lookup("loopback://b");
            assertThat(client.isClosed()).isFalse();
            long old = receiving.postReceive(peer, buffer, 1);
            server.pendingOperations(1);
            Completions out = Completions.ofCapacity(1);
            receiving.test(old, out, FEW_MS);
            long age = server.pendingOperations(1).getFirst().ageNs();
            assertThat(age).isPositive();
            receiving.cancel(old);
            receiving.test(old, out, 0);
            for (int i = 0; i < 64; i++) {
                long id = receiving.postReceive(peer, buffer, 1);
                assertThat(server.pendingOperations(1))
                        .singleElement()
                        .extracting(PendingOperation::ageNs)
                        .isEqualTo(0L);
                receiving.cancel(id);
                receiving.test(id, out, 0);
            }
        }
    }

    private BmiBuilder builder() {
        return Bmi.builder().attach(LoopbackHub.class, hub);
    }
}

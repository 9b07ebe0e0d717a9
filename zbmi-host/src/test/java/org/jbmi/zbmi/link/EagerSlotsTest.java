package org.jbmi.zbmi.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** Which eager slots a client may lend, and when it has them back. */
@Timeout(30)
class EagerSlotsTest {
    private long engineWord;

    private static SegmentMap map(int slots) {
        return new SegmentMap(new SegmentGeometry(1, 16, 16, slots, 64, 4096, 4096));
    }

    private record Fixture(SharedMemory memory, SessionArea area, EagerSlots slots) {
        static Fixture of(int count) {
            SegmentMap map = map(count);
            long[] words = new long[(int) (map.unexpectedOffset() / Long.BYTES)];
            SharedMemory memory = new SegmentMemory(MemorySegment.ofArray(words));
            SessionArea area = map.session(1);
            return new Fixture(memory, area, new EagerSlots(memory, area));
        }

        int lend() {
            int slot = slots.takeToLend();
            if (slot >= 0) {
                slots.lend(slot);
            }
            return slot;
        }
    }

    // As the engine does it.
    private void giveBack(Fixture f, int slot) {
        engineWord ^= 1L << slot;
        f.memory.setLongRelease(f.area.returnedOffset(), engineWord);
    }

    @Test
    void atMostHalfAreLent() {
        for (int count : new int[] {0, 1, 2, 3, 15, 16, 63, 64}) {
            Fixture f = Fixture.of(count);
            int lent = 0;
            while (f.lend() >= 0) {
                lent++;
            }
            assertThat(lent).as("of %d", count).isEqualTo(count - count / 2);
            int others = 0;
            while (f.slots.take() >= 0) {
                others++;
            }
            assertThat(others).isEqualTo(count / 2);
        }
    }

    @Test
    void oneThatIsGivenBackCanBeLentAgain() {
        Fixture f = Fixture.of(2);
        for (int turn = 0; turn < 5; turn++) {
            int slot = f.lend();
            assertThat(slot).isGreaterThanOrEqualTo(0);
            assertThat(f.lend()).isEqualTo(NOT_EAGER);
            giveBack(f, slot);
        }
    }

    @Test
    void oneThatWasTakenToBeLentAndWasNotIsReleasedAsUsual() {
        Fixture f = Fixture.of(2);
        int slot = f.slots.takeToLend();
        f.slots.release(slot);
        assertThat(f.lend()).isEqualTo(slot);
        giveBack(f, slot);
        assertThat(f.lend()).isEqualTo(slot);
    }

    @Test
    void theOthersOfAClientInUseLeaveFewerToLend() {
        Fixture f = Fixture.of(4);
        assertThat(f.slots.take()).isGreaterThanOrEqualTo(0);
        assertThat(f.lend()).isGreaterThanOrEqualTo(0);
        assertThat(f.lend()).isEqualTo(NOT_EAGER);
    }

    @Test
    void anyOrderOfReturnsIsFollowed() {
        long seed = System.nanoTime();
        System.out.println("EagerSlotsTest seed " + seed);
        Random random = new Random(seed);
        Fixture f = Fixture.of(64);
        List<Integer> out = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            if (!out.isEmpty() && random.nextInt(100) < 50) {
                giveBack(f, out.remove(random.nextInt(out.size())));
            } else {
                int slot = f.lend();
                assertThat(slot >= 0).isEqualTo(out.size() < 32);
                if (slot >= 0) {
                    out.add(slot);
                }
            }
            assertThat(new TreeSet<>(out)).hasSameSizeAs(out);
        }
    }

    @Test
    void aSlotIsReleasedOnce() {
        FreeEagerSlots free = new FreeEagerSlots(3);
        int slot = free.take();
        assertThat(free.count()).isEqualTo(2);
        free.release(slot);
        assertThat(free.count()).isEqualTo(3);
        assertThatThrownBy(() -> free.release(slot)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> free.releaseAll(5)).isInstanceOf(IllegalStateException.class);
    }
}

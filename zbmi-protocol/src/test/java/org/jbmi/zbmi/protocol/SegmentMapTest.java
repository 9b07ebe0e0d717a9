package org.jbmi.zbmi.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

@Timeout(30)
class SegmentMapTest {
    private static final SegmentGeometry SMALL =
            new SegmentGeometry(70, 16, 32, 3, 192, 4096, 8192);

    private record Range(String what, long start, long length) {
        long end() {
            return start + length;
        }
    }

    @Test
    void noTwoPartsOverlapAndAllLieInside() {
        SegmentMap map = new SegmentMap(SMALL);
        List<Range> ranges = new ArrayList<>();
        ranges.add(new Range("header page", 0, 4096));
        ranges.add(new Range("engine sleep word", map.engineSleepWordOffset(), 128));
        for (int i = 0; i < map.doorbellWords(); i++) {
            ranges.add(new Range("doorbell " + i, map.doorbellOffset(i), 128));
        }
        for (int session = 0; session <= SMALL.maxClients(); session++) {
            addSession(ranges, map.session(session));
        }
        ranges.add(new Range("unexpected", map.unexpectedOffset(), SMALL.unexpectedBytes()));
        ranges.add(new Range("expected", map.expectedOffset(), SMALL.expectedBytes()));
        ranges.sort(Comparator.comparingLong(Range::start));
        for (int i = 1; i < ranges.size(); i++) {
            Range before = ranges.get(i - 1);
            Range after = ranges.get(i);
            assertThat(before.end()).as("%s, %s", before, after).isLessThanOrEqualTo(after.start());
        }
        assertThat(ranges.getLast().end()).isEqualTo(map.segmentBytes());
    }

    private static void addSession(List<Range> all, SessionArea area) {
        List<Range> ranges = new ArrayList<>();
        String name = "session " + area.session() + " ";
        ranges.add(new Range(name + "consumed by engine", area.consumedByEngineOffset(), 128));
        ranges.add(new Range(name + "consumed by peer", area.consumedByPeerOffset(), 128));
        ranges.add(new Range(name + "armed", area.armedOffset(), 128));
        ranges.add(new Range(name + "peer wants credit", area.peerWantsCreditOffset(), 128));
        ranges.add(new Range(name + "engine wants credit", area.engineWantsCreditOffset(), 128));
        ranges.add(new Range(name + "peer sleep word", area.peerSleepWordOffset(), 128));
        for (int i = 0; i < SessionArea.WINDOWS; i++) {
            ranges.add(new Range(name + "window " + i, area.windowOffset(i), 8));
        }
        long laneBytes = (long) area.laneSlots() * SessionArea.SLOT_BYTES;
        ranges.add(new Range(name + "toward engine", area.towardEngineOffset(), laneBytes));
        ranges.add(new Range(name + "toward peer", area.towardPeerOffset(), laneBytes));
        for (int i = 0; i < area.eagerSlots(); i++) {
            ranges.add(new Range(name + "eager state " + i, area.eagerStateOffset(i), 64));
            ranges.add(
                    new Range(name + "eager " + i, area.eagerSlotOffset(i), area.eagerSlotBytes()));
        }
        for (int i = 0; i < area.dataSlots(); i++) {
            ranges.add(
                    new Range(name + "data " + i, area.dataSlotOffset(i), area.eagerSlotBytes()));
        }
        assertThat(area.dataSlots()).isEqualTo(area.eagerSlots() == 0 ? 0 : SessionArea.DATA_SLOTS);
        assertThat(area.dataSlotsBackOffset())
                .as("behind the other word of its line")
                .isEqualTo(area.consumedByPeerOffset() + 8);
        assertThat(ranges)
                .allMatch(range -> range.start() >= area.offset())
                .allMatch(range -> range.end() <= area.offset() + area.bytes());
        all.addAll(ranges);
    }

    @Test
    void everyPartIsAlignedForItsUse() {
        SegmentMap map = new SegmentMap(SMALL);
        assertThat(map.unexpectedOffset() % 4096).isZero();
        assertThat(map.expectedOffset() % 4096).isZero();
        for (int session = 0; session <= SMALL.maxClients(); session++) {
            SessionArea area = map.session(session);
            assertThat(area.offset() % 4096).isZero();
            assertThat(area.towardEngineOffset() % 128).isZero();
            assertThat(area.towardPeerOffset() % 128).isZero();
        }
    }

    @Test
    void regionsContainWhatLiesInsideAndNothingElse() {
        SegmentMap map = new SegmentMap(SMALL);
        long start = map.expectedOffset();
        assertThat(map.isExpected(start, 8192)).isTrue();
        assertThat(map.isExpected(start + 8192, 0)).isTrue();
        assertThat(map.isExpected(start - 1, 1)).isFalse();
        assertThat(map.isExpected(start, 8193)).isFalse();
        assertThat(map.isExpected(start + 8192, 1)).isFalse();
        assertThat(map.isExpected(start, -1)).isFalse();
        assertThat(map.isExpected(Long.MAX_VALUE, Long.MAX_VALUE)).isFalse();
        assertThat(map.isExpected(Long.MIN_VALUE, Long.MAX_VALUE)).isFalse();
        assertThat(map.isUnexpected(map.unexpectedOffset(), 4096)).isTrue();
        assertThat(map.isUnexpected(start, 1)).isFalse();
    }

    @Test
    void eagerSlotsContainWhatLiesInOneOfThemAndNothingElse() {
        SegmentMap map = new SegmentMap(SMALL);
        for (int client = 1; client <= SMALL.maxClients(); client++) {
            SessionArea area = map.session(client);
            long first = map.eagerSlotsOffset() + map.clientAreaBytes() * (client - 1);
            assertThat(area.eagerSlotOffset(0)).isEqualTo(first);
            int size = SMALL.eagerSlotBytes();
            for (int slot = 0; slot < SMALL.eagerSlots(); slot++) {
                long at = area.eagerSlotOffset(slot);
                assertThat(map.isInEagerSlot(client, at, size)).isTrue();
                assertThat(map.isInEagerSlot(client, at, 0)).isTrue();
                assertThat(map.isInEagerSlot(client, at + size - 1, 1)).isTrue();
                assertThat(map.isInEagerSlot(client, at, size + 1)).isFalse();
                assertThat(map.isInEagerSlot(client, at + 1, size)).isFalse();
                assertThat(map.isInEagerSlot(client, at, -1)).isFalse();
                assertThat(map.isInEagerSlot(client + 1, at, 1)).isFalse();
            }
            long end = area.eagerSlotOffset(SMALL.eagerSlots());
            assertThat(map.isInEagerSlot(client, first - 1, 1)).isFalse();
            assertThat(map.isInEagerSlot(client, end, 1)).isFalse();
        }
        long at = map.session(1).eagerSlotOffset(0);
        for (int nobody : new int[] {0, -1, SMALL.maxClients() + 1, Integer.MAX_VALUE}) {
            assertThat(map.isInEagerSlot(nobody, at, 1)).isFalse();
        }
        for (long offset : new long[] {Long.MIN_VALUE, Long.MAX_VALUE, -1}) {
            assertThat(map.isInEagerSlot(1, offset, 1)).isFalse();
            assertThat(map.isInEagerSlot(1, offset, Long.MAX_VALUE)).isFalse();
        }
        SegmentMap none = new SegmentMap(new SegmentGeometry(1, 16, 16, 0, 0, 4096, 4096));
        assertThat(none.isInEagerSlot(1, none.session(1).eagerSlotOffset(0), 0)).isFalse();
    }

    @Test
    void theLargestGeometryFits() {
        SegmentMap map =
                new SegmentMap(
                        new SegmentGeometry(
                                SegmentGeometry.MAX_CLIENTS, 16, 16, 64, 1024, 1 << 20, 1L << 40));
        assertThat(map.doorbellOffset(map.doorbellWords() - 1) + 128).isLessThanOrEqualTo(8192);
        assertThat(map.segmentBytes()).isGreaterThan(1L << 40);
    }

    @Test
    void geometriesOutOfBoundsAreRefusedInWords() {
        assertThatThrownBy(() -> new SegmentGeometry(0, 16, 16, 0, 0, 4096, 4096))
                .hasMessage("a segment cannot have 0 clients");
        assertThatThrownBy(() -> new SegmentGeometry(1, 17, 16, 0, 0, 4096, 4096))
                .hasMessageContaining("17 slots");
        assertThatThrownBy(() -> new SegmentGeometry(1, 16, 16, 65, 64, 4096, 4096))
                .hasMessageContaining("65 eager slots");
        assertThatThrownBy(() -> new SegmentGeometry(1, 16, 16, 1, 65, 4096, 4096))
                .hasMessageContaining("65 bytes");
        assertThatThrownBy(() -> new SegmentGeometry(1, 16, 16, 1, 64, 4097, 4096))
                .hasMessageContaining("4097 bytes");
        assertThatThrownBy(() -> new SegmentGeometry(1, 16, 16, 1, 64, 4096, Long.MIN_VALUE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theControlPageIsRecognisedAndAnyOtherIsNot() {
        SegmentMap map = new SegmentMap(SMALL);
        SharedMemory memory =
                new SegmentMemory(MemorySegment.ofArray(new long[(int) (map.segmentBytes() / 8)]));
        assertThat(map.mismatch(memory)).contains("is not a zbmi segment");
        map.writeControlPage(memory);
        assertThat(map.mismatch(memory)).isNull();
        for (long offset = 4096 + 8; offset < 4096 + 48; offset += 4) {
            int kept = memory.getIntPlain(offset);
            memory.setIntPlain(offset, kept + 1);
            assertThat(map.mismatch(memory)).isNotNull();
            memory.setIntPlain(offset, kept);
        }
        assertThat(map.mismatch(memory)).isNull();
    }

    @Test
    void aSegmentThatIsTooSmallIsRefusedBeforeItIsRead() {
        SegmentMap map = new SegmentMap(SMALL);
        SharedMemory memory = new SegmentMemory(MemorySegment.ofArray(new long[8]));
        assertThat(map.mismatch(memory)).contains("64 bytes");
    }

    @Test
    void aResetAreaIsArmedAndOtherwiseZeroButForItsSlots() {
        SegmentMap map = new SegmentMap(SMALL);
        SharedMemory memory =
                new SegmentMemory(MemorySegment.ofArray(new long[(int) (map.segmentBytes() / 8)]));
        SessionArea area = map.session(2);
        for (long offset = area.offset(); offset < area.offset() + area.bytes(); offset += 8) {
            memory.setLongPlain(offset, -1);
        }
        memory.setLongPlain(area.offset() - 8, 5);
        area.markRelayed(memory, 7);
        area.reset(memory, 9);
        assertThat(area.isRelayed(memory, 7)).as("a message that is read late").isTrue();
        assertThat(area.isRelayed(memory, 8)).as("the next client").isFalse();
        area.markRelayed(memory, Integer.MAX_VALUE);
        area.reset(memory, 10);
        assertThat(area.isRelayed(memory, 9)).isTrue();
        assertThat(area.isRelayed(memory, 10)).as("one after a liar").isFalse();
        area.markRelayed(memory, 0);
        assertThat(memory.getLongPlain(area.offset() - 8)).isEqualTo(5);
        assertThat(memory.getIntPlain(area.armedOffset())).isEqualTo(1);
        memory.setIntPlain(area.armedOffset(), 0);
        long slots = area.eagerSlotOffset(0);
        for (long offset = area.offset(); offset < slots; offset += 8) {
            assertThat(memory.getLongPlain(offset)).isZero();
        }
        for (long offset = slots; offset < area.offset() + area.bytes(); offset += 8) {
            assertThat(memory.getLongPlain(offset)).isEqualTo(-1);
        }
    }
}

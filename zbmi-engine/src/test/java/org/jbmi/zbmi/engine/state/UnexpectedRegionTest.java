package org.jbmi.zbmi.engine.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

@Timeout(30)
class UnexpectedRegionTest {
    private final EngineLimits limits =
            new EngineLimits(
                    3, 1, 1, 1, 1000, 0, 0, EagerPlaces.NONE, 1, 1 << 20, 10_000, 1 << 30, 4096, 0);
    private final UnexpectedRegion region = new UnexpectedRegion(limits);
    private final UnexpectedStream[] streams = {
        new ClientSession(1, limits).unexpected,
        new ClientSession(2, limits).unexpected,
        new ClientSession(3, limits).unexpected
    };

    private UnexpectedBlock take(UnexpectedStream stream, long bytes) {
        UnexpectedBlock block = region.take(stream, bytes, true);
        if (block != null) {
            block.state = UnexpectedBlock.State.LENT;
        }
        return block;
    }

    @Test
    void blocksNeverOverlapAndAllComesBack() {
        long seed = Long.getLong("jbmi.seed", System.nanoTime());
        System.out.println("UnexpectedRegionTest seed " + seed);
        Random random = new Random(seed);
        List<UnexpectedBlock> live = new ArrayList<>();
        TreeMap<Long, Long> ranges = new TreeMap<>();
        for (int i = 0; i < 100_000; i++) {
            if (random.nextInt(100) < (i / 5000 % 2 == 0 ? 60 : 40)) {
                long bytes = random.nextInt(5) == 0 ? 1000 : random.nextInt(200);
                UnexpectedStream stream = streams[random.nextInt(3)];
                UnexpectedBlock block = take(stream, bytes);
                if (block == null) {
                    assertThat(region.mayTakeChunk(stream)).isFalse();
                    continue;
                }
                long end = block.offset + Math.max(1, bytes);
                assertThat(block.offset % 64).isZero();
                assertThat(block.offset).isGreaterThanOrEqualTo(1 << 20);
                assertThat(end).isLessThanOrEqualTo((1 << 20) + 10_000);
                Map.Entry<Long, Long> before = ranges.lowerEntry(end);
                assertThat(before == null || before.getValue() <= block.offset).isTrue();
                ranges.put(block.offset, end);
                assertThat(region.find(block.offset)).isSameAs(block);
                live.add(block);
            } else if (!live.isEmpty()) {
                UnexpectedBlock block = live.remove(random.nextInt(live.size()));
                ranges.remove(block.offset);
                long offset = block.offset;
                region.release(block);
                assertThat(region.find(offset)).isNull();
            }
            assertThat(region.liveBlocks()).isEqualTo(live.size());
        }
        live.forEach(region::release);
        assertThat(region.freeChunks()).isEqualTo(region.chunkCount());
        for (UnexpectedStream stream : streams) {
            assertThat(stream.heldChunks).isZero();
            assertThat(stream.currentChunk).isNull();
        }
    }

    @Test
    void oneClientHoldsHalfOfWhatIsFreeOrItsOwn() {
        assertThat(region.chunkCount()).isEqualTo(9);
        assertThat(chunksOf(streams[0])).isEqualTo(4);
        assertThat(chunksOf(streams[1])).isEqualTo(2);
        assertThat(chunksOf(streams[2])).isEqualTo(1);
        assertThat(region.freeChunks()).as("for clients that hold nothing").isEqualTo(2);
        assertThat(chunksOf(new ClientSession(4, limits).unexpected)).isEqualTo(1);
        assertThat(chunksOf(new ClientSession(5, limits).unexpected)).isEqualTo(1);
        assertThat(chunksOf(new ClientSession(6, limits).unexpected)).isZero();
    }

    private int chunksOf(UnexpectedStream stream) {
        while (take(stream, 1000) != null) {
            continue;
        }
        return stream.heldChunks;
    }

    @Test
    void aClientMayUseUpItsOwnChunkWithoutTakingAnother() {
        take(streams[0], 100);
        assertThat(region.take(streams[0], 500, false)).isNotNull();
        assertThat(region.take(streams[0], 500, false)).isNull();
        assertThat(region.take(streams[1], 1, false)).isNull();
        assertThat(region.take(streams[1], 1, true)).isNotNull();
    }

    @Test
    void aForgottenClientOwesNothingAndItsBlocksStillComeBack() {
        UnexpectedBlock block = take(streams[0], 100);
        region.forget(streams[0]);
        assertThat(streams[0].heldChunks).isZero();
        UnexpectedBlock next = take(streams[0], 100);
        assertThat(next.chunk).isNotSameAs(block.chunk);
        region.release(block);
        assertThat(streams[0].heldChunks).isEqualTo(1);
        region.release(next);
        assertThat(region.freeChunks()).isEqualTo(region.chunkCount());
        assertThatThrownBy(() -> region.release(next)).isInstanceOf(IllegalStateException.class);
    }
}

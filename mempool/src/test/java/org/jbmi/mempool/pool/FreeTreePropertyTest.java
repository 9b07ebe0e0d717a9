package org.jbmi.mempool.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** The tree of free blocks against a sorted set of the library. */
class FreeTreePropertyTest {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);
    private static final int RECORDS = 600;
    private static final int STEPS = Boolean.getBoolean("jbmi.long") ? 9_000 : 3_000;

    @Property(tries = 20)
    void itHasTheOrderOfASortedSet(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 500) int lengths) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    BlockTable blocks = new BlockTable(RECORDS);
                    FreeTree tree = new FreeTree(blocks);
                    TreeSet<Integer> model =
                            new TreeSet<>(
                                    Comparator.<Integer>comparingInt(blocks::length)
                                            .thenComparing(Comparator.naturalOrder()));
                    List<Integer> outside = new ArrayList<>();
                    for (int i = 0; i < RECORDS; i++) {
                        outside.add(blocks.acquire());
                    }
                    int root = BlockTable.NONE;
                    for (int i = 0; i < STEPS; i++) {
                        if (!outside.isEmpty() && random.nextInt(5) < 3) {
                            int block = outside.removeLast();
                            blocks.length(block, 1 + random.nextInt(lengths));
                            root = tree.add(root, block);
                            model.add(block);
                        } else if (!model.isEmpty()) {
                            int wanted = 1 + random.nextInt(lengths + 1);
                            int found = tree.atLeast(root, wanted);
                            int block = found == BlockTable.NONE ? model.first() : found;
                            root = tree.remove(root, block);
                            model.remove(block);
                            outside.add(random.nextInt(outside.size() + 1), block);
                        }
                        check(blocks, tree, root, model, 1 + random.nextInt(lengths + 1));
                    }
                });
    }

    private static void check(
            BlockTable blocks, FreeTree tree, int root, TreeSet<Integer> model, int wanted) {
        if (model.isEmpty()) {
            assertThat(root).isEqualTo(BlockTable.NONE);
            return;
        }
        Integer fits =
                model.stream().filter(b -> blocks.length(b) >= wanted).findFirst().orElse(null);
        assertThat(tree.atLeast(root, wanted)).isEqualTo(fits == null ? BlockTable.NONE : fits);
        assertThat(depth(blocks, root)).as("of %d", model.size()).isLessThanOrEqualTo(40);
    }

    private static int depth(BlockTable blocks, int block) {
        return block == BlockTable.NONE
                ? 0
                : 1
                        + Math.max(
                                depth(blocks, blocks.lowerFree(block)),
                                depth(blocks, blocks.upperFree(block)));
    }
}

package org.jbmi.zbmi.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

@Timeout(30)
class TagTableTest {
    private static final EngineLimits LIMITS =
            new EngineLimits(1, 100, 1, 1, 1, 0, 0, EagerPlaces.NONE, 1, 0, 1, 1, 1, 0);

    @Test
    void everyTagFindsItsQueuesWhileOthersComeAndGo() {
        long seed = Long.getLong("jbmi.seed", System.nanoTime());
        System.out.println("TagTableTest seed " + seed);
        Random random = new Random(seed);
        TagTable table = new ClientSession(1, LIMITS).tags;
        OperationPool pool = new OperationPool(1000, 0);
        Map<Integer, Operation> inUse = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            // Few bits, so that tags often fall on the same place of the table.
            int tag = random.nextInt(400) * (random.nextBoolean() ? 1 : 1 << 20);
            Operation operation = inUse.get(tag);
            TagQueue queues = table.get(tag);
            assertThat(queues.tag).isEqualTo(tag);
            if (operation == null) {
                assertThat(queues.isEmpty()).isTrue();
                Operation fresh = pool.take();
                fresh.kind = Operation.Kind.SEND;
                queues.towardServer.append(fresh);
                inUse.put(tag, fresh);
            } else {
                assertThat(queues.towardServer.sends.first()).isSameAs(operation);
                queues.towardServer.remove(operation);
                pool.release(operation);
                inUse.remove(tag);
                table.removeIfEmpty(queues);
                table.removeIfEmpty(queues);
            }
            if (i % 1000 == 0) {
                int count = 0;
                for (TagQueue q = table.inUse.first(); q != null; q = table.inUse.next(q)) {
                    assertThat(inUse).containsKey(q.tag);
                    count++;
                }
                assertThat(count).isEqualTo(inUse.size());
            }
        }
    }

    /** A place that lost half of a tag's bits would need minutes. */
    @Test
    void manyTagsOfAnyPatternAreFoundInConstantTime() {
        int count = 50_000;
        for (int shift : new int[] {0, 15}) {
            TagTable table = new ClientSession(1, LIMITS).tags;
            TagQueue[] queues = new TagQueue[count];
            for (int i = 0; i < count; i++) {
                queues[i] = table.get(i << shift);
            }
            for (int i = 0; i < count; i++) {
                assertThat(table.find(i << shift) == queues[i]).isTrue();
                table.removeIfEmpty(queues[i]);
            }
            assertThat(table.inUse.first()).isNull();
        }
    }

    @Test
    void tagsThatComeAndGoAllocateNothing() {
        TagTable table = new ClientSession(1, LIMITS).tags;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        comeAndGo(table);
        long before = threads.getCurrentThreadAllocatedBytes();
        comeAndGo(table);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated).isLessThan(10_000);
    }

    private static void comeAndGo(TagTable table) {
        for (int tag = 0; tag < 100_000; tag++) {
            table.removeIfEmpty(table.get(tag));
        }
    }

    /** A client that knows how one table is made has no tags that meet in another. */
    @Test
    void tagsThatMeetInOneTableDoNotMeetInAnother() {
        TagTable known = new TagTable(new ClientSession(1, LIMITS));
        TagTable other = new TagTable(new ClientSession(2, LIMITS));
        for (int tag = 0; tag < 1024; tag++) {
            known.get(tag);
            other.get(tag);
        }
        int[] at = new int[1 << 16];
        int found = 0;
        int most = 0;
        for (int tag = 1024; found < 500; tag++) {
            if (known.home(tag) == 0) {
                most = Math.max(most, ++at[other.home(tag)]);
                found++;
            }
        }
        assertThat(most).as("of 500 at one place").isLessThan(10);
    }
}

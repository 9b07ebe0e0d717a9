package org.jbmi.zbmi.host.mq;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Queues of a JVM that has no memory for a while. */
@Timeout(60)
class FullHeapRepliesTest {
    @Test
    void eachQueueCanBeUsedAgain() throws Exception {
        assertThat(FullHeap.outputOf(Releases.class, "16m")).isEqualTo("0 failed, 40 made");
    }

    @Test
    void aQueueThatCannotBeMadeLeavesNone() throws Exception {
        assertThat(FullHeap.outputOf(Makes.class, "16m")).isEqualTo("failed, 0 open, then made");
    }

    @Test
    void aChannelThatCannotBeMadeLeavesNoQueueOpen() throws Exception {
        assertThat(FullHeap.outputOf(Hosts.class, "16m"))
                .isEqualTo("failed, 0 open, failed, 0 open, then made");
    }

    /** The kernel's names, for as long as there is memory. */
    private static final class Names implements MqSystem {
        private final Set<String> names = new HashSet<>();
        private Runnable afterCreate = () -> {};
        private int open;

        @Override
        public int create(String name, MessageQueues.End end, int depth, int messageBytes) {
            if (!names.add(name)) {
                return -Errno.EEXIST;
            }
            open++;
            afterCreate.run();
            return open;
        }

        @Override
        public Optional<String> unavailabilityReason() {
            return Optional.empty();
        }

        @Override
        public int unlink(String name) {
            names.clear();
            return 0;
        }

        @Override
        public void close(int descriptor) {
            open--;
        }

        ReplyQueues queues() {
            return new ReplyQueues(
                    this, new MqNames(1, 1), new MqLimits(10, 8192, 256, Long.MAX_VALUE));
        }
    }

    /** Releases many queues at once in a full heap. */
    static final class Releases {
        private static final int QUEUES = 40;

        private Releases() {}

        public static void main(String[] arguments) {
            ReplyQueues queues = new Names().queues();
            ReplyQueue[] leased = new ReplyQueue[QUEUES];
            Arrays.setAll(leased, i -> queues.lease());
            queues.release(leased[0]); // loads the classes
            leased[0] = queues.lease();
            Object[] filler = {FullHeap.fill()};
            int failed = 0;
            for (ReplyQueue each : leased) {
                try {
                    queues.release(each);
                } catch (OutOfMemoryError e) {
                    failed++;
                }
            }
            filler[0] = null;
            Arrays.setAll(leased, i -> queues.lease());
            System.out.printf("%d failed, %d made", failed, queues.count());
        }
    }

    /** The heap is full when the kernel has made a queue. */
    static final class Makes {
        private Makes() {}

        public static void main(String[] arguments) {
            Names names = new Names();
            Object[] filler = {null};
            names.queues().lease();
            names.unlink("all"); // loads the classes
            names.open = 0;
            ReplyQueues queues = names.queues();
            names.afterCreate = () -> filler[0] = FullHeap.fill();
            boolean hasFailed = false;
            try {
                queues.lease();
            } catch (OutOfMemoryError e) {
                hasFailed = true;
            }
            filler[0] = null;
            names.afterCreate = () -> {};
            System.out.printf("%s, %d open, ", hasFailed ? "failed" : "made", names.open);
            System.out.print(queues.lease() == null ? "then none" : "then made");
        }
    }

    /** The heap is full when the kernel has made the first queue of a channel, or the second. */
    static final class Hosts {
        private static final SegmentMap MAP =
                new SegmentMap(new SegmentGeometry(1, 16, 16, 4, 1024, 4096, 4096));
        private static final Welcome WELCOME =
                new Welcome(
                        0,
                        1,
                        HostKind.DAEMON,
                        1,
                        0,
                        "none",
                        1,
                        MAP.geometry(),
                        new SessionLimits(1 << 20, 1024, 1024, 64, 64));

        private final EngineSegment segment =
                new EngineSegment(
                        new SegmentMemory(Arena.ofAuto().allocate(MAP.segmentBytes(), 4096)),
                        MAP,
                        new FutexWaiting());
        private final Names names = new Names();
        private final MqCommandChannelProvider provider =
                new MqCommandChannelProvider(names, 10, 4);
        private @Nullable Object filler;

        private Hosts() {}

        public static void main(String[] arguments) {
            Hosts hosts = new Hosts();
            hosts.isMade();
            for (int queue = 1; queue <= 2; queue++) {
                int last = queue;
                hosts.names.afterCreate =
                        () -> hosts.filler = hosts.names.open == last ? FullHeap.fill() : null;
                boolean isMade = hosts.isMade();
                hosts.filler = null;
                System.out.printf("%s, %d open, ", isMade ? "made" : "failed", hosts.names.open);
            }
            hosts.names.afterCreate = () -> {};
            System.out.print(hosts.isMade() ? "then made" : "then none");
        }

        private boolean isMade() {
            try {
                provider.host(segment, WELCOME, 10).close();
                return true;
            } catch (OutOfMemoryError e) {
                return false;
            }
        }
    }
}

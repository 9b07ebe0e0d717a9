package org.jbmi.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.spi.HashMaps;
import org.jbmi.spi.MatchTable;
import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What a program gets while its JVM has no memory left. */
@Timeout(60)
class FullHeapTest {
    private static final int MESSAGES = 40;
    private static final int POSTS = 100;

    /** The core's table of what the program holds grows with the 33rd message. */
    @Test
    void aTestCallReportsTheMessagesForWhichThereIsMemory() throws Exception {
        assertThat(outputOf(Tests.class)).isEqualTo("32, then 8");
    }

    @Test
    void aCloseIsWholeAndEndsWhatOthersHavePosted() throws Exception {
        assertThat(outputOf(Closes.class)).isEqualTo("closed, 1 member, 200 of 200 ended");
    }

    @Test
    void aMatchTableThatCannotGrowStaysAsItWas() throws Exception {
        assertThat(outputOf(Matches.class)).isEqualTo("4 failed, 32 keys");
    }

    /** The table of a {@code HashMap} is made in its first put. */
    @Test
    void aHashMapWhoseFirstPutFailsLosesNothingLater() throws Exception {
        assertThat(outputOf(Maps.class)).isEqualTo("failed, 0 lost");
    }

    @Test
    void aPeerThatCannotBeAddedIsNotThere() throws Exception {
        assertThat(outputOf(LooksUp.class)).isEqualTo("failed, the same peer");
    }

    @Test
    void aServerThatCannotJoinLeavesNoNameBehind() throws Exception {
        assertThat(outputOf(Joins.class)).isEqualTo("failed, 0 names left, joined");
    }

    @Test
    void aContextThatClosesGivesItsPlaceBack() throws Exception {
        assertThat(outputOf(ContextCloses.class)).isEqualTo("opened");
    }

    @Test
    void aContextThatClosesCancelsItsOperations() throws Exception {
        assertThat(outputOf(ContextCancels.class)).isEqualTo("the send waits, byte 0");
    }

    @Test
    void aSenderThatMustWaitNeedsNoMemory() throws Exception {
        assertThat(outputOf(Waits.class)).isEqualTo("18 posted, 0 lost");
    }

    private static String outputOf(Class<?> main) throws Exception {
        return FullHeap.outputOf(main, "16m");
    }

    /** Tests for messages with a full heap, and again with an empty one. */
    static final class Tests {
        private Tests() {}

        public static void main(String[] args) {
            try (Bmi bmi = Bmi.builder().listen("loopback://self").open();
                    CompletionContext context = bmi.openContext()) {
                PeerAddress self = bmi.lookup("loopback://self");
                MemorySegment message = Arena.ofAuto().allocate(8);
                UnexpectedMessages room = UnexpectedMessages.ofCapacity(MESSAGES);
                send(context, self, message, 1);
                bmi.testUnexpected(room, 0); // loads the classes
                room.freeAll();
                send(context, self, message, MESSAGES);
                Object[] filler = {FullHeap.fill()};
                int count = bmi.testUnexpected(room, 0);
                filler[0] = null;
                int more = bmi.testUnexpected(room, 0);
                System.out.print(count + ", then " + more);
            }
        }
    }

    /** Adds keys with room for them, but not for a longer table. */
    static final class Matches {
        private Matches() {}

        public static void main(String[] args) {
            MatchTable table = new MatchTable();
            while (table.size() < 32) {
                table.findOrAdd(1, table.size());
            }
            Object[] spare = {new Object[80]};
            Object[] filler = {FullHeap.fill()};
            spare[0] = null;
            int failed = 0;
            for (int tag = 28; tag < 36; tag++) { // some of them are there
                try {
                    table.findOrAdd(1, tag);
                } catch (OutOfMemoryError e) {
                    failed++;
                }
            }
            filler[0] = null;
            System.out.printf("%d failed, %d keys", failed, table.size());
        }
    }

    /** Puts into an empty map with a full heap, and again with an empty one. */
    static final class Maps {
        private static final int KEYS = 100;

        private Maps() {}

        public static void main(String[] args) {
            String[] keys = new String[KEYS];
            Arrays.setAll(keys, i -> "loopback://" + i);
            keys[0].hashCode(); // which is kept
            Map<String, String> map = HashMaps.prepared(new HashMap<>());
            Object[] filler = {FullHeap.fill()};
            boolean failed = false;
            try {
                map.put(keys[0], keys[0]);
            } catch (OutOfMemoryError e) {
                failed = true;
            }
            filler[0] = null;
            int lost = 0;
            for (String key : keys) {
                map.put(key, key);
            }
            for (String key : keys) {
                lost += map.containsKey(key) ? 0 : 1;
            }
            System.out.printf("%s, %d lost", failed ? "failed" : "done", lost);
        }
    }

    /** Looks a peer up with room for it, but not for a longer table of peers. */
    static final class LooksUp {
        /** Java's hash tables grow after so many. */
        private static final int PEERS = 768;

        private LooksUp() {}

        public static void main(String[] args) {
            LoopbackHub hub = new LoopbackHub();
            try (Bmi client =
                            Bmi.builder()
                                    .attach(LoopbackHub.class, hub)
                                    .listen("loopback://c")
                                    .open();
                    Bmi server =
                            Bmi.builder()
                                    .attach(LoopbackHub.class, hub)
                                    .listen("loopback://s")
                                    .open();
                    CompletionContext context = client.openContext()) {
                for (int i = 0; i < PEERS; i++) {
                    server.lookup("loopback://" + i);
                }
                Object[] spare = {new Object[1000]};
                Object[] filler = {FullHeap.fill()};
                spare[0] = null;
                boolean failed = false;
                try {
                    server.lookup("loopback://c");
                } catch (OutOfMemoryError e) {
                    failed = true;
                }
                filler[0] = null;
                PeerAddress found = server.lookup("loopback://c");
                send(context, client.lookup("loopback://s"), Arena.ofAuto().allocate(8), 1);
                UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
                server.testUnexpected(one, 0);
                System.out.print(
                        (failed ? "failed" : "done")
                                + (one.peer(0) == found ? ", the same peer" : ", another peer"));
                one.freeAll();
            }
        }
    }

    /** Joins again and again, each time with a little more memory than the last time. */
    static final class Joins {
        private static final int NAMES = 1000;

        private Joins() {}

        public static void main(String[] args) {
            List<String> addresses =
                    IntStream.range(0, NAMES).mapToObj(i -> "loopback://" + i).toList();
            LoopbackMethod member =
                    LoopbackMethod.open(new MemberTest.Host(), new LoopbackHub(), addresses);
            LoopbackHub hub = new LoopbackHub();
            Object[] spare = new Object[1000];
            Arrays.setAll(spare, i -> new Object[1000]);
            Object[] filler = {FullHeap.fill()};
            boolean failed = false;
            boolean joined = false;
            int left = 0;
            for (int i = 0; i < spare.length && !joined; i++) {
                spare[i] = null;
                try {
                    hub.join(member);
                    joined = true;
                } catch (OutOfMemoryError e) {
                    failed = true;
                    left += countFound(hub, member);
                }
            }
            filler[0] = null;
            System.out.printf(
                    "%s, %d names left, %s",
                    failed ? "failed" : "never failed", left, joined ? "joined" : "not joined");
        }

        private static int countFound(LoopbackHub hub, LoopbackMethod member) {
            int found = 0;
            for (int i = 0; i < NAMES; i++) {
                found += hub.find(member.names().get(i)) == null ? 0 : 1;
            }
            return found;
        }
    }

    /** Closes the only context that may be open with a full heap, and opens another one. */
    static final class ContextCloses {
        private ContextCloses() {}

        public static void main(String[] args) {
            try (Bmi bmi = Bmi.builder().knob("bmi.maxContexts", "1").open()) {
                bmi.openContext().close(); // loads the classes
                CompletionContext context = bmi.openContext();
                Object[] filler = {FullHeap.fill()};
                try {
                    context.close();
                } catch (OutOfMemoryError e) {
                    // What needs memory failed; the rest is done.
                }
                filler[0] = null;
                bmi.openContext().close();
                System.out.print("opened");
            }
        }
    }

    /** Closes a context with a receive and a full heap; then the peer sends to that receive. */
    static final class ContextCancels {
        private static final int TAG = 9;

        private ContextCancels() {}

        public static void main(String[] args) {
            try (Bmi bmi = Bmi.builder().listen("loopback://self").open();
                    CompletionContext context = bmi.openContext()) {
                PeerAddress self = bmi.lookup("loopback://self");
                MemorySegment buffer = Arena.ofAuto().allocate(8);
                CompletionContext first = bmi.openContext();
                first.postReceive(self, buffer, TAG);
                first.close(); // loads the classes
                CompletionContext second = bmi.openContext();
                second.postReceive(self, buffer, TAG);
                Object[] filler = {FullHeap.fill()};
                try {
                    second.close();
                } catch (OutOfMemoryError e) {
                    // What needs memory failed; the rest is done.
                }
                filler[0] = null;
                MemorySegment message = Arena.ofAuto().allocate(8).fill((byte) 7);
                long sent = context.postSend(self, message, TAG);
                System.out.printf(
                        "the send %s, byte %d",
                        PostResult.isPending(sent) ? "waits" : "is over",
                        buffer.get(ValueLayout.JAVA_BYTE, 0));
            }
        }
    }

    /** Many members send to one that has no room; the last ones do so with a full heap. */
    static final class Waits {
        private static final int SENDERS = 18;
        private static final int FIRST_IN_FULL_HEAP = 16;
        private static final int ROOM_BYTES = 1 << 16;

        private Waits() {}

        public static void main(String[] args) {
            LoopbackHub hub = new LoopbackHub();
            Bmi receiver =
                    Bmi.builder()
                            .attach(LoopbackHub.class, hub)
                            .knob("loopback.unexpectedBytes", "" + ROOM_BYTES)
                            .listen("loopback://r")
                            .open();
            MemorySegment message = Arena.ofAuto().allocate(8);
            CompletionContext[] contexts = new CompletionContext[SENDERS];
            PeerAddress[] peers = new PeerAddress[SENDERS];
            for (int i = 0; i < SENDERS; i++) {
                Bmi sender =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen("loopback://s" + i)
                                .open();
                contexts[i] = sender.openContext();
                peers[i] = sender.lookup("loopback://r");
                send(contexts[i], peers[i], message, 1);
            }
            UnexpectedMessages room = UnexpectedMessages.ofCapacity(2 * SENDERS);
            receiver.testUnexpected(room, 0); // the receiver knows all
            room.freeAll();
            MemorySegment large = Arena.ofAuto().allocate(8192);
            while (PostResult.isCompleted(contexts[0].postSendUnexpected(peers[0], large, 0))) {
                // Until it has no room for one more of this sender.
            }
            while (PostResult.isCompleted(contexts[1].postSendUnexpected(peers[1], large, 0))) {
                // The room of the others.
            }
            int posted = 2;
            Object[] filler = new Object[SENDERS];
            for (int i = 2; i < SENDERS; i++) {
                if (i >= FIRST_IN_FULL_HEAP) {
                    filler[i] = FullHeap.fill(); // the collector finds a little more each time
                }
                try {
                    contexts[i].postSendUnexpected(peers[i], message, 0);
                    posted++;
                } catch (OutOfMemoryError e) {
                    // It is not posted.
                }
            }
            Arrays.fill(filler, null);
            int count = receiver.testUnexpected(room, 0);
            int lost = posted;
            while (count > 0) {
                room.freeAll();
                count = receiver.testUnexpected(room, 0);
                lost -= count;
            }
            System.out.print(posted + " posted, " + lost + " lost");
        }
    }

    private static void send(
            CompletionContext context, PeerAddress peer, MemorySegment message, int count) {
        for (int i = 0; i < count; i++) {
            context.postSendUnexpected(peer, message, i);
        }
    }

    /** Closes one of two members with a full heap. */
    static final class Closes {
        private Closes() {}

        public static void main(String[] args) {
            LoopbackHub hub = new LoopbackHub();
            Bmi a = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://a").open();
            Bmi b = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://b").open();
            CompletionContext context = b.openContext();
            MemorySegment buffer = Arena.ofAuto().allocate(8);
            PeerAddress peer = b.lookup("loopback://a");
            for (int tag = 0; tag < POSTS; tag++) {
                context.postReceive(peer, buffer, tag);
                context.postSend(peer, buffer, tag);
            }
            Object[] filler = {FullHeap.fill()};
            try {
                a.close();
            } catch (OutOfMemoryError | NoClassDefFoundError e) {
                // What needs memory failed; the rest is done.
            }
            filler[0] = null;
            System.out.printf(
                    "%s, %d member, %d of %d ended",
                    a.isClosed() ? "closed" : "open",
                    hub.memberCount(),
                    countEnded(context),
                    2 * POSTS);
            b.close();
        }
    }

    private static int countEnded(CompletionContext context) {
        Completions done = Completions.ofCapacity(2 * POSTS);
        context.testContext(done, 0);
        int ended = 0;
        for (int k = 0; k < done.count(); k++) {
            ended += done.outcome(k) == ErrorCode.EPIPE ? 1 : 0;
        }
        return ended;
    }
}

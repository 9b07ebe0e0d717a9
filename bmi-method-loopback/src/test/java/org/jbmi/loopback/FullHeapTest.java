package org.jbmi.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.support.ChildJvm;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

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

    private static String outputOf(Class<?> main) throws Exception {
        Process child = ChildJvm.start(main, List.of("-Xmx16m"));
        try {
            byte[] output = child.getInputStream().readAllBytes();
            assertThat(child.waitFor(20, TimeUnit.SECONDS)).isTrue();
            return new String(output, StandardCharsets.UTF_8);
        } finally {
            child.destroyForcibly().waitFor();
        }
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
                Object[] filler = {fillHeap()};
                int count = bmi.testUnexpected(room, 0);
                filler[0] = null;
                int more = bmi.testUnexpected(room, 0);
                System.out.print(count + ", then " + more);
            }
        }

        private static void send(
                CompletionContext context, PeerAddress peer, MemorySegment message, int count) {
            for (int i = 0; i < count; i++) {
                context.postSendUnexpected(peer, message, i);
            }
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
            Object[] filler = {fillHeap()};
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

    private static @Nullable Object fillHeap() {
        Object[] last = null;
        for (int size = 1 << 16; size > 1; size /= 2) {
            try {
                while (true) {
                    Object[] next = new Object[size];
                    next[0] = last;
                    last = next;
                }
            } catch (OutOfMemoryError e) {
                // No array of this size is left.
            }
        }
        return last;
    }
}

package org.jbmi.testsuite.example;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.testsuite.support.FullHeap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/**
 * What the core keeps of messages, listeners and peers while its JVM has no memory left. The
 * programs do each thing once before they fill the heap, so that its classes are loaded.
 */
@Timeout(60)
class CoreInFullHeapTest {
    /** The class of messages that no plain test call has asked for. */
    private static final int UNTESTED = 7;

    @Test
    void whatAFailedPollGivesBackIsThereAndNoLockIsKept() throws Exception {
        assertThat(outputOf(TakesBack.class)).isEqualTo("failed, 1 message, found, closed");
    }

    @Test
    void aListenerThatClosesGivesItsMessagesBackAndWakesItsCallers() throws Exception {
        assertThat(outputOf(ListenerCloses.class)).isEqualTo("its caller is back, 3 of 3 messages");
    }

    @Test
    void aListenerThatCannotBeOpenedTakesNoMessage() throws Exception {
        assertThat(outputOf(ListenerOpens.class)).isEqualTo("failed, opened, 1 of 1 message");
    }

    @Test
    void thePeerThatIsDroppedFirstIsGone() throws Exception {
        assertThat(outputOf(PeersLeave.class)).isEqualTo("released and gone, freed and gone");
    }

    @Test
    void whatAMethodReportsWhileItIsOpenedIsNotLost() throws Exception {
        assertThat(outputOf(ReportsEarly.class)).isEqualTo("20 of 20");
    }

    private static String outputOf(Class<?> main) throws Exception {
        return FullHeap.outputOf(main, "16m");
    }

    /** A server, and a client that sends to it. */
    private static final class Pair implements AutoCloseable {
        private final MemorySegment message = Arena.ofAuto().allocate(8);
        final UnexpectedMessages room = UnexpectedMessages.ofCapacity(8);
        final Bmi server;
        private final Bmi client;
        private final CompletionContext context;
        private final PeerAddress peer;
        private @Nullable PolledNoteMethod polled;

        Pair() {
            Board board = new Board();
            server =
                    Bmi.builder()
                            .attach(Board.class, board)
                            .attach(NoteProvider.Twin.class, this::makePolled)
                            .listen("note://server")
                            .open();
            client = Bmi.builder().attach(Board.class, board).open();
            context = client.openContext();
            peer = client.lookup("note://server");
        }

        private NoteMethod makePolled(MethodHost host, Board board, MethodLimits limits) {
            PolledNoteMethod made = new PolledNoteMethod(host, board, limits);
            polled = made;
            return made;
        }

        void nextPoll(Runnable event) {
            Objects.requireNonNull(polled).nextPoll(event);
        }

        void send(int tag, int messageClass) {
            context.postSendUnexpected(peer, message, tag, messageClass, null, PostOptions.NONE);
        }

        /** Takes and frees the server's messages of a class; returns how many there were. */
        int receive(int messageClass) {
            int count = server.testUnexpected(messageClass, room, 0);
            room.freeAll();
            return count;
        }

        /** Lets the client send, and takes the message; returns its sender. */
        PeerAddress receiveOne() {
            send(0, 0);
            server.testUnexpected(room, 0);
            return room.peer(0);
        }

        @Override
        public void close() {
            client.close();
            server.close();
        }
    }

    /** A poll hands a message to its test call and fails, with an empty heap and a full one. */
    static final class TakesBack {
        private TakesBack() {}

        public static void main(String[] args) {
            try (Pair pair = new Pair();
                    UnexpectedListener listener =
                            pair.server.openListener(UnexpectedFilter.ofClass(UNTESTED))) {
                Object[] filler = new Object[1];
                failsInPoll(pair, () -> {});
                listener.test(pair.room, 0);
                pair.receive(0);
                boolean failed = failsInPoll(pair, () -> filler[0] = FullHeap.fill());
                filler[0] = null;
                System.out.printf("%s, %d message, ", failed ? "failed" : "done", pair.receive(0));
                System.out.print(pair.server.findPeer(1) == null ? "not found, " : "found, ");
            }
            System.out.print("closed");
        }

        private static boolean failsInPoll(Pair pair, Runnable fill) {
            pair.nextPoll(
                    () -> {
                        pair.send(1, 0);
                        fill.run();
                        throw new OutOfMemoryError();
                    });
            try {
                pair.server.testUnexpected(pair.room, 0);
                return false;
            } catch (OutOfMemoryError e) {
                return true;
            }
        }
    }

    /** Closes a listener with a caller, and one with messages. */
    static final class ListenerCloses {
        private static final int MESSAGES = 3;

        private ListenerCloses() {}

        public static void main(String[] args) throws InterruptedException {
            try (Pair pair = new Pair()) {
                open(pair, UNTESTED + 1).close();
                UnexpectedListener idle = open(pair, UNTESTED + 2);
                Thread caller =
                        Thread.ofPlatform()
                                .daemon()
                                .start(
                                        () ->
                                                idle.test(
                                                        UnexpectedMessages.ofCapacity(1),
                                                        Long.MAX_VALUE));
                while (caller.getState() != Thread.State.TIMED_WAITING) {
                    LockSupport.parkNanos(100_000);
                }
                closeInFullHeap(idle);
                caller.join();
                UnexpectedListener busy = open(pair, UNTESTED);
                for (int tag = 0; tag < MESSAGES; tag++) {
                    pair.send(tag, UNTESTED);
                }
                closeInFullHeap(busy);
                System.out.printf(
                        "its caller is back, %d of %d messages", pair.receive(UNTESTED), MESSAGES);
            }
        }

        private static UnexpectedListener open(Pair pair, int messageClass) {
            UnexpectedListener listener =
                    pair.server.openListener(UnexpectedFilter.ofClass(messageClass));
            pair.send(0, messageClass);
            listener.test(pair.room, 0);
            pair.room.freeAll();
            return listener;
        }

        private static void closeInFullHeap(UnexpectedListener listener) {
            Object[] filler = {FullHeap.fill()};
            try {
                listener.close();
            } catch (OutOfMemoryError e) {
                // What needs memory failed; the rest is done.
            }
            filler[0] = null;
        }
    }

    /** Opens a listener for a message that waits, each time with a little more memory. */
    static final class ListenerOpens {
        private static final int PIECES = 100;

        private ListenerOpens() {}

        public static void main(String[] args) {
            UnexpectedFilter filter = UnexpectedFilter.ofClass(0);
            try (Pair pair = new Pair()) {
                pair.send(0, 0);
                pair.server.openListener(filter).close();
                pair.receive(0);
                pair.send(0, 0);
                Object[] spare = new Object[PIECES];
                Arrays.setAll(spare, i -> new Object[4]);
                Object[] filler = {FullHeap.fill()};
                boolean failed = false;
                boolean opened = false;
                for (int i = 0; i < PIECES && !opened; i++) {
                    spare[i] = null;
                    try {
                        pair.server.openListener(filter).close();
                        opened = true;
                    } catch (OutOfMemoryError e) {
                        failed = true;
                    }
                }
                filler[0] = null;
                System.out.printf(
                        "%s, %s, %d of 1 message",
                        failed ? "failed" : "never failed",
                        opened ? "opened" : "not opened",
                        pair.receive(0));
            }
        }
    }

    /** Gives back the last reference to a peer, or the last message of one that has failed. */
    static final class PeersLeave {
        private PeersLeave() {}

        public static void main(String[] args) {
            Object[] filler = new Object[1];
            released(() -> {});
            boolean released = released(() -> filler[0] = FullHeap.fill());
            filler[0] = null;
            freed(() -> {});
            boolean freed = freed(() -> filler[0] = FullHeap.fill());
            filler[0] = null;
            System.out.printf(
                    "released and %s, freed and %s",
                    released ? "gone" : "there", freed ? "gone" : "there");
        }

        private static boolean released(Runnable fill) {
            Pair pair = new Pair();
            PeerAddress sender = pair.receiveOne();
            long id = sender.id();
            sender.retain();
            pair.room.freeAll();
            fill.run();
            try {
                sender.release();
            } catch (OutOfMemoryError e) {
                // The table of peers tells.
            }
            return pair.server.findPeer(id) == null;
        }

        private static boolean freed(Runnable fill) {
            Pair pair = new Pair();
            long id = pair.receiveOne().id();
            pair.client.close();
            fill.run();
            try {
                pair.room.freeAll();
            } catch (OutOfMemoryError e) {
                // The table of peers tells.
            }
            return pair.server.findPeer(id) == null;
        }
    }

    /** Opens a method that has messages before it is known; for the last ones memory is short. */
    static final class ReportsEarly {
        private static final int MESSAGES = 20;
        private static final int WITH_MEMORY = 16;

        private ReportsEarly() {}

        public static void main(String[] args) {
            countTaken(MESSAGES); // loads the classes
            System.out.print(countTaken(WITH_MEMORY) + " of " + MESSAGES);
        }

        private static int countTaken(int withMemory) {
            NoteProvider.Twin twin =
                    (host, board, limits) -> {
                        report(host, withMemory);
                        return new NoteMethod(host, board, limits);
                    };
            try (Bmi bmi =
                    Bmi.builder()
                            .attach(Board.class, new Board())
                            .attach(NoteProvider.Twin.class, twin)
                            .listen("note://server")
                            .open()) {
                UnexpectedMessages room = UnexpectedMessages.ofCapacity(MESSAGES);
                return bmi.testUnexpected(room, 0);
            }
        }

        /** Frees a little memory whenever there is too little for a report. */
        private static void report(MethodHost host, int withMemory) {
            MemorySegment message = Arena.ofAuto().allocate(8);
            NoteAddress[] from = new NoteAddress[MESSAGES];
            Arrays.setAll(from, i -> new NoteAddress("note://early" + i, null));
            Object[][] filler = new Object[8][];
            for (int i = 0; i < MESSAGES; ) {
                if (i == withMemory && filler[0] == null) {
                    filler[0] = FullHeap.fill(1 << 12, 1 << 12);
                    for (int k = 1; k < filler.length; k++) { // the collector finds a little more
                        filler[k] = FullHeap.fill(2, 2);
                    }
                }
                try {
                    host.deliverUnexpected(from[i], i, 0, ErrorCode.SUCCESS, message, 0, 8, i);
                    i++;
                } catch (OutOfMemoryError e) {
                    filler[1] = (Object[]) filler[1][0];
                }
            }
        }
    }
}

package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Reads and writes of which one step finds the heap full, or nearly so, in a JVM of their own. */
@Timeout(120)
class FullHeapFlowTest {
    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({"READ, admit", "READ, moved", "WRITE, admit", "WRITE, moved"})
    void aCallEndsAndGivesAllBackWhateverAStepFinds(String operation, String step)
            throws Exception {
        String output =
                FullHeap.outputOf(
                        Child.class,
                        "16m",
                        100,
                        folder.toString(),
                        operation,
                        step,
                        Boolean.getBoolean("jbmi.long") ? "2" : "4");
        assertThat(output).isEqualTo("not over: [], lent: 0");
    }

    /** Runs one step again and again, each time with a little more memory than the last time. */
    static final class Child extends FlowBench {
        private static final int MOST_PIECES = 28;
        private static final int SPARE_BYTES = 2 << 20;

        /** So that the level of the log stays. */
        private static final Logger LOG = Logger.getLogger("org.jbmi.zoidfs.server");

        private final boolean writing;
        private final boolean inMoved;
        private final int piecesMore;
        private final FileHandle file;
        private final Object[] filler = new Object[4];

        private Child(Path folder, boolean writing, boolean inMoved, int piecesMore)
                throws IOException {
            this.folder = folder;
            start();
            this.writing = writing;
            this.inMoved = inMoved;
            this.piecesMore = piecesMore;
            this.file = file();
        }

        public static void main(String[] args) throws IOException {
            LOG.setLevel(Level.OFF);
            Child child =
                    new Child(
                            Path.of(args[0]),
                            args[1].equals("WRITE"),
                            args[2].equals("moved"),
                            Integer.parseInt(args[3]));
            System.out.print(child.run());
            System.out.flush();
            Runtime.getRuntime().halt(0);
        }

        private String run() {
            loadClasses();
            filler[0] = new byte[SPARE_BYTES];
            filler[1] = FullHeap.fill(1 << 16, 1 << 10);
            filler[0] = null;
            StringBuilder stuck = new StringBuilder();
            for (int pieces = 0; pieces <= MOST_PIECES; pieces += piecesMore) {
                if (!round(pieces)) {
                    stuck.append(stuck.isEmpty() ? "" : ", ").append(pieces);
                }
            }
            filler[1] = null;
            return "not over: [%s], lent: %d".formatted(stuck, isNothingLent() ? 0 : 1);
        }

        private void loadClasses() {
            ServerLog.load();
            round(MOST_PIECES);
            failures = 2;
            flow.arrived(call(Operation.READ, Transfer.of(0, 30, 10)));
            flow.admit();
            play();
            round(MOST_PIECES);
        }

        /** Runs a call with one step in want of memory; false if the call does not end. */
        private boolean round(int pieces) {
            if (server.findPeer(peer.id()) == null) {
                client.close();
                connect();
            }
            int before = over;
            Call call = new Call(peer, TAG, System.nanoTime());
            call.decoded(
                    Request.moving(
                            writing ? Operation.WRITE : Operation.READ,
                            file,
                            Transfer.of(0, 3 * MESSAGE_BYTES, MESSAGE_BYTES),
                            Hints.NONE));
            flow.arrived(call);
            if (inMoved) {
                lateIndex = 0;
                flow.admit();
                play();
                DataMove move = Objects.requireNonNull(late);
                lateIndex = NONE_IS_LATE;
                long size = move.message.byteSize();
                inFullHeap(pieces, () -> flow.moved(move, ErrorCode.SUCCESS, size));
            } else {
                inFullHeap(pieces, () -> flow.admit());
            }
            for (int i = 0; i < 3; i++) {
                flow.admit();
                play();
            }
            return over == before + 1;
        }

        private void inFullHeap(int pieces, Runnable step) {
            filler[2] = FullHeap.fill(1 << 14, 1 << 9);
            Object[] last = FullHeap.fill(1, 1);
            for (int i = 0; i < pieces && last != null; i++) {
                last = (Object[]) last[0];
            }
            filler[3] = last;
            last = null;
            try {
                step.run();
            } catch (OutOfMemoryError e) {
                // A later turn goes on.
            } finally {
                filler[2] = null;
                filler[3] = null;
            }
        }

        /** The pool gives a client nothing, so the call begins only if no other holds memory. */
        private boolean isNothingLent() {
            int before = over;
            flow.arrived(call(withoutRoom(), Operation.READ, Transfer.of(0, 10, 0)));
            flow.admit();
            play();
            return over == before + 1;
        }
    }
}

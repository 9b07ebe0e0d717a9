package org.jbmi.rig.zoidfs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.UnexpectedMessages;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.simulator.heap.AllocationLoader;
import org.jbmi.simulator.heap.AllocationThread;
import org.jbmi.simulator.heap.HeapFull;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A client of zoidfs reads from a silent server, and one of the objects that it makes has no room
 * in the heap: the first, the second, and so on. Whichever it is, no receive into the program's
 * memory stays posted.
 */
@Timeout(120)
class ReadInFullHeapTest {
    private static final int MANY = 10_000;
    private static final long PATIENCE_MS = TimeUnit.SECONDS.toMillis(90);

    /** Reads again and again, loaded anew with all that it needs. */
    public static final class Attempts extends AllocationThread {
        private static final long TIMEOUT_MS = 20;
        private static final int CHUNK_BYTES = 4;
        private static final int BYTES = 40;

        private final StackWalker stack = StackWalker.getInstance();
        private final Consumer<String> told;
        private String where = "";
        private int left;

        /** Tells what stays posted, and at the end how many objects there are. */
        public Attempts(Consumer<String> told) {
            super("attempts");
            this.told = told;
            setDaemon(true);
        }

        @Override
        protected void allocates() {
            if (left == 0) {
                return;
            }
            String maker = stack.walk(all -> all.skip(3).findFirst().orElseThrow().toString());
            if (maker.startsWith("org.jbmi.zoidfs.client.") && --left == 0) {
                where = maker;
                throw new HeapFull();
            }
        }

        @Override
        public void run() {
            LoopbackHub hub = new LoopbackHub();
            try (Bmi server = open(hub).listen("loopback://files").open()) {
                UnexpectedMessages requests = UnexpectedMessages.ofCapacity(1);
                int nth = 0;
                while (isFull(hub, nth + 1) && nth < MANY) {
                    nth++;
                    while (server.testUnexpected(requests, 0) > 0) {
                        server.unexpectedFree(requests.payload(0));
                    }
                }
                told.accept("objects: " + nth);
            } catch (IOException | RuntimeException | Error e) {
                told.accept(e.toString());
            }
        }

        private static BmiBuilder open(LoopbackHub hub) {
            return Bmi.builder().attach(LoopbackHub.class, hub);
        }

        /** Reads once; whether there were so many objects that one had no room. */
        private boolean isFull(LoopbackHub hub, int nth) throws IOException {
            ClientOptions options =
                    ClientOptions.DEFAULT.withTimeoutMs(TIMEOUT_MS).withChunkBytes(CHUNK_BYTES);
            try (Bmi own = open(hub).open();
                    ZoidfsClient client = ZoidfsClient.connect(own, "loopback://files", options)) {
                MemorySegment memory = MemorySegment.ofArray(new byte[BYTES]);
                left = nth;
                try {
                    client.read(FileHandle.NONE, memory, 0);
                } catch (ZoidfsException | HeapFull e) {
                    // What stays posted counts, whatever the end.
                }
                boolean isFull = left == 0;
                left = 0;
                int posted = own.pendingOperations(100).size();
                if (posted > 0) {
                    told.accept(posted + " stay posted after " + where);
                }
                return isFull;
            }
        }
    }

    @Test
    void whicheverObjectHasNoRoomNoReceiveStaysPosted() throws Exception {
        ClassLoader loader = new AllocationLoader(ReadInFullHeapTest.class.getClassLoader());
        AtomicReference<String> all = new AtomicReference<>("");
        Consumer<String> told = line -> all.accumulateAndGet(line + "\n", String::concat);
        Thread thread =
                (Thread)
                        loader.loadClass(Attempts.class.getName())
                                .getConstructor(Consumer.class)
                                .newInstance(told);
        thread.setContextClassLoader(loader);
        thread.start();
        thread.join(PATIENCE_MS);
        System.out.print("ReadInFullHeapTest: " + all.get());
        assertThat(all.get()).matches("objects: [1-9][0-9]+\n");
    }
}

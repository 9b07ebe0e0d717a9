package org.jbmi.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.simulator.heap.AllocationLoader;
import org.jbmi.simulator.heap.AllocationThread;
import org.jbmi.simulator.heap.HeapFull;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A client attaches to a real daemon, and one of the objects that this takes has no room in the
 * heap: the first, the second, and so on. Whichever it is, neither a socket nor a mapping is left.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class AttachmentInFullHeapTest {
    private static final int MANY = 10_000;
    private static final String ATTACHED = "attached";
    private static final String DONE = "done";
    private static final String FULL = "full";

    /** Attaches, loaded anew with all that it needs. */
    public static final class Attempt extends AllocationThread {
        private final Path socket;
        private final Consumer<Object> result;
        private int left;

        /**
         * Prepares.
         *
         * @param socket of the daemon
         * @param nth which object has no room; 0 for none
         * @param result is told how it ended
         */
        public Attempt(Path socket, int nth, Consumer<Object> result) {
            super("attempt");
            this.socket = socket;
            this.left = nth;
            this.result = result;
        }

        @Override
        protected void allocates() {
            if (left > 0 && --left == 0) {
                throw new HeapFull();
            }
        }

        @Override
        public void run() {
            int nth = left;
            left = 0;
            AttachRequest request =
                    new AttachRequest(
                            socket,
                            PeerRole.CLIENT,
                            ShmClientLink.NAME,
                            TimeUnit.SECONDS.toNanos(30),
                            new FutexWaiting(),
                            NanoClock.SYSTEM,
                            new ProcessLiveness());
            PeerEvents nobody =
                    (PeerEvents)
                            Proxy.newProxyInstance(
                                    PeerEvents.class.getClassLoader(),
                                    new Class<?>[] {PeerEvents.class},
                                    (proxy, method, arguments) -> null);
            left = nth;
            try {
                ClientLink link = ShmClientLink.connect(request, nobody);
                boolean isOver = left > 0 || nth == 0;
                left = 0;
                result.accept(ATTACHED);
                link.close();
                result.accept(isOver ? DONE : "it went on with an object that it had not got");
            } catch (HeapFull e) {
                result.accept(FULL);
            } catch (Throwable e) {
                result.accept(e);
            }
        }
    }

    @Test
    void whicheverObjectHasNoRoomNothingIsLeft(@TempDir Path directory) throws Exception {
        ClassLoader loader = new AllocationLoader(AttachmentInFullHeapTest.class.getClassLoader());
        Constructor<?> made =
                loader.loadClass(Attempt.class.getName())
                        .getConstructor(Path.class, int.class, Consumer.class);
        try (ZbmiDaemon daemon =
                ZbmiDaemon.builder()
                        .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                        .knob("zbmi.segmentDirectory", directory.toString())
                        .knob("zbmi.totalBytes", "4m")
                        .start()) {
            long sockets = sockets();
            long mappings = mappings(daemon);
            // What is made once in a life of the loader has been made then.
            assertThat(attempt(made, daemon, 0)).isEqualTo(DONE);
            awaitLeft("with room", daemon, sockets, mappings);
            Object end = FULL;
            int nth = 0;
            while (end.equals(FULL) && nth < MANY) {
                end = attempt(made, daemon, ++nth);
                String what = "object " + nth;
                if (end instanceof Throwable unexpected) {
                    throw new AssertionError(what, unexpected);
                }
                awaitLeft(what, daemon, sockets, mappings);
            }
            System.out.println("AttachmentInFullHeapTest: " + (nth - 1) + " objects");
            assertThat(end).isEqualTo(DONE);
            assertThat(nth).as("objects of an attachment").isGreaterThan(20);
        }
    }

    private static Object attempt(Constructor<?> made, ZbmiDaemon daemon, int nth)
            throws Exception {
        AtomicReference<Object> end = new AtomicReference<>("it said nothing");
        long before = mappings(daemon);
        Consumer<Object> result =
                said -> {
                    if (!said.equals(ATTACHED)) {
                        end.set(said);
                    } else if (mappings(daemon) != before + 1) {
                        throw new IllegalStateException("the segment is not seen to be mapped");
                    }
                };
        Path socket = daemon.directory().socket();
        Thread thread = (Thread) made.newInstance(socket, nth, result);
        thread.start();
        thread.join();
        return end.get();
    }

    /** The daemon lets go of its end in a thread of its own. */
    private static void awaitLeft(String what, ZbmiDaemon daemon, long sockets, long mappings)
            throws IOException, InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        long openSockets = sockets();
        while (openSockets > sockets && System.nanoTime() - endNs < 0) {
            Thread.sleep(1);
            openSockets = sockets();
        }
        assertThat(openSockets).as("sockets, %s", what).isLessThanOrEqualTo(sockets);
        assertThat(mappings(daemon)).as("mappings, %s", what).isEqualTo(mappings);
    }

    private static long sockets() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(AttachmentInFullHeapTest::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    /** Those of peers: the daemon's own has the name that the file had at first. */
    private static long mappings(ZbmiDaemon daemon) {
        String file = daemon.segmentFile().toString();
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.endsWith(file)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package org.jbmi.zbmi.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.observe.Counter;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A daemon whose JVM has no memory for a while. The programs do each thing once before they fill
 * the heap, so that its classes are loaded.
 */
@Timeout(60)
class DaemonInFullHeapTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long PATIENCE_S = 30;
    private static final Thread.State PAUSES = Thread.State.TIMED_WAITING;

    @TempDir private Path folder;

    @Test
    void aHelloThatComesMeanwhileIsAnsweredLater() throws Exception {
        assertThat(outputOf(Greets.class)).isEqualTo("answered, healthy");
    }

    @Test
    void itsPeersSeeTheEndAndNothingStays() throws Exception {
        assertThat(outputOf(Closes.class)).isEqualTo("end, end, no socket");
    }

    @Test
    void whoLeavesSaysGoodbye() throws Exception {
        assertThat(outputOf(Leaves.class)).isEqualTo("room for the next one");
    }

    @Test
    void whoFindsNoMemoryForItsAnswerLeavesItsSessionToTheNextOne() throws Exception {
        assertThat(outputOf(HearsNothing.class)).isEqualTo("room for the next one");
    }

    @Test
    void whoBreaksTheProtocolLosesItsOwnSessionOnly() throws Exception {
        assertThat(outputOf(BreaksTheProtocol.class)).isEqualTo("ended, healthy");
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "ten seconds")
    void aCloseThatFindsNoMemoryGoesOnLater() throws Exception {
        assertThat(outputOf(ClosesTwice.class)).isEqualTo("then another daemon");
    }

    private String outputOf(Class<?> main) throws Exception {
        return FullHeap.outputOf(main, "16m", PATIENCE_S, folder.toString());
    }

    private static ZbmiDaemon daemon(Path folder) {
        return ZbmiDaemon.builder()
                .knob("zoid.runtimeDirectory", folder.resolve("run").toString())
                .knob("zbmi.segmentDirectory", folder.toString())
                .knob("zbmi.totalBytes", "4m")
                .knob("zbmi.maxClients", "1")
                .start();
    }

    private static PeerAttachment attach(ZbmiDaemon daemon) {
        return PeerAttachment.connect(ClientRequest.of(daemon, LONG_NS));
    }

    private static SocketChannel connect(ZbmiDaemon daemon) throws IOException {
        SocketChannel channel =
                SocketChannel.open(UnixDomainSocketAddress.of(daemon.directory().socket()));
        channel.configureBlocking(false);
        return channel;
    }

    private static ByteBuffer hello() {
        long pid = ProcessHandle.current().pid();
        return buffer(HandshakeCodec.encode(new Hello(PeerRole.CLIENT, pid, 0, "shm")));
    }

    private static ByteBuffer buffer(ByteBuffer bytes) {
        return ByteBuffer.allocateDirect(bytes.remaining()).put(bytes).flip();
    }

    private static Thread threadOf(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static void awaitPauseOrEnd(Thread thread) {
        while (thread.isAlive() && thread.getState() != PAUSES) {
            Thread.onSpinWait();
        }
    }

    /** A hello comes in a full heap. */
    static final class Greets {
        private Greets() {}

        public static void main(String[] arguments) throws Exception {
            try (ZbmiDaemon daemon = daemon(Path.of(arguments[0]))) {
                attach(daemon).close();
                Thread sessions = threadOf("zbmi-sessions");
                try (SocketChannel client = connect(daemon)) {
                    ByteBuffer hello = hello();
                    ByteBuffer answer = ByteBuffer.allocateDirect(HandshakeCodec.MAX_FRAME_BYTES);
                    Object[] filler = {null};
                    filler[0] = FullHeap.fill();
                    client.write(hello);
                    awaitPauseOrEnd(sessions);
                    filler[0] = null;
                    int count = 0;
                    while (count == 0 && sessions.isAlive()) {
                        count = client.read(answer);
                    }
                    System.out.print(count > 0 ? "answered, " : "closed, ");
                }
                System.out.print(daemon.isHealthy() ? "healthy" : "broken");
            }
        }
    }

    /**
     * Closes a daemon without peers, and then one with two in a full heap. No connection of this
     * program has been closed before.
     */
    static final class Closes {
        private static final long MOST_NS = TimeUnit.SECONDS.toNanos(10);

        private final ByteBuffer bytes = ByteBuffer.allocateDirect(HandshakeCodec.MAX_FRAME_BYTES);
        private @Nullable Object filler;
        private volatile boolean closes;

        private Closes() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            daemon(folder).close();
            System.out.print(new Closes().closeWithTwoPeers(folder));
        }

        private String closeWithTwoPeers(Path folder) throws Exception {
            ZbmiDaemon daemon = daemon(folder);
            Thread closer = Thread.ofPlatform().start(() -> closeWhenTold(daemon));
            try (SocketChannel first = connect(daemon);
                    SocketChannel second = connect(daemon)) {
                second.write(hello());
                awaitAnswer(second); // so the one before it has been accepted
                Thread sessions = threadOf("zbmi-sessions");
                filler = FullHeap.fill();
                closes = true;
                awaitPauseOrEnd(sessions);
                filler = null;
                closer.join();
                long endNs = System.nanoTime() + MOST_NS;
                boolean isFirst = ends(first, endNs);
                boolean isSecond = ends(second, endNs);
                return (isFirst ? "end, " : "none, ")
                        + (isSecond ? "end, " : "none, ")
                        + (Files.exists(daemon.directory().socket()) ? "a socket" : "no socket");
            }
        }

        private void closeWhenTold(ZbmiDaemon daemon) {
            while (!closes) {
                Thread.onSpinWait();
            }
            daemon.close();
        }

        private void awaitAnswer(SocketChannel peer) throws IOException {
            while (peer.read(bytes.clear()) == 0) {
                Thread.onSpinWait();
            }
        }

        private boolean ends(SocketChannel peer, long endNs) throws IOException {
            int count = 0;
            while (count >= 0 && System.nanoTime() - endNs < 0) {
                count = peer.read(bytes.clear());
            }
            return count < 0;
        }
    }

    /** The one client that there may be leaves in a full heap. */
    static final class Leaves {
        private Leaves() {}

        public static void main(String[] arguments) {
            Object[] filler = {null};
            try (ZbmiDaemon daemon = daemon(Path.of(arguments[0]))) {
                attach(daemon).close();
                PeerAttachment client = attach(daemon);
                filler[0] = FullHeap.fill();
                leave(client);
                filler[0] = null;
                attach(daemon).close();
                System.out.print("room for the next one");
            }
        }

        private static void leave(PeerAttachment client) {
            try {
                client.close();
            } catch (OutOfMemoryError e) {
                // What needs memory failed.
            }
        }
    }

    /**
     * The heap is full when the answer to a hello comes. An answer may come before the client waits
     * for it: then the client attaches, and tries again.
     */
    static final class HearsNothing {
        private HearsNothing() {}

        public static void main(String[] arguments) {
            Object[] filler = {null};
            try (ZbmiDaemon daemon = daemon(Path.of(arguments[0]))) {
                attach(daemon).close();
                boolean hears = true;
                while (hears) { // loads the classes
                    hears = hears(daemon, HearsNothing::failWithoutMemory);
                }
                hears = true;
                while (hears) {
                    hears = hears(daemon, () -> fillOrFree(filler));
                    filler[0] = null;
                }
                attach(daemon).close();
            }
            System.out.print("room for the next one");
        }

        // A client that is asked twice has no answer yet: the daemon may need memory for it.
        private static boolean fillOrFree(Object[] filler) {
            filler[0] = filler[0] == null ? FullHeap.fill() : null;
            return false;
        }

        private static boolean failWithoutMemory() {
            throw new OutOfMemoryError();
        }

        /**
         * Attaches; if it waits, something runs as soon as the daemon counts the session. Returns
         * whether there was memory.
         */
        private static boolean hears(ZbmiDaemon daemon, BooleanSupplier whenCounted) {
            Counter sessions = daemon.counters().find("zbmi.sessions.attached");
            await(sessions, 0); // the one before it
            BooleanSupplier whileItWaits =
                    () -> {
                        await(sessions, 1);
                        return whenCounted.getAsBoolean();
                    };
            try {
                PeerAttachment.connect(request(daemon, whileItWaits)).close();
                return true;
            } catch (OutOfMemoryError e) {
                return false;
            }
        }

        private static void await(Counter counter, long value) {
            while (counter.get() != value) {
                Thread.onSpinWait();
            }
        }

        private static AttachRequest request(ZbmiDaemon daemon, BooleanSupplier whileItWaits) {
            AttachRequest plain = ClientRequest.of(daemon, LONG_NS);
            return new AttachRequest(
                    plain.socket(),
                    plain.role(),
                    plain.transport(),
                    plain.timeoutNs(),
                    plain.waiting(),
                    plain.clock(),
                    plain.liveness(),
                    whileItWaits);
        }
    }

    /** A client writes what none may write, with an empty heap and a full one. */
    static final class BreaksTheProtocol {
        private BreaksTheProtocol() {}

        public static void main(String[] arguments) {
            try (ZbmiDaemon daemon = daemon(Path.of(arguments[0]))) {
                Counter ends = daemon.counters().find("zbmi.sessions.evictions");
                Thread engine = threadOf("zbmi-engine");
                Object[] filler = {null};
                for (int count = 1; count <= 2; count++) {
                    try (PeerAttachment client = attach(daemon)) {
                        SessionArea area = client.map().session(client.welcome().session());
                        long stamp = (long) client.welcome().generation() << Integer.SIZE;
                        filler[0] = count == 1 ? null : FullHeap.fill();
                        // The engine looks at all lanes from time to time, without a ring.
                        client.memory().setLongRelease(area.towardEngineOffset(), stamp | 77);
                        while (ends.get() < count && engine.isAlive()) {
                            Thread.onSpinWait();
                        }
                        filler[0] = null;
                    }
                }
                System.out.print(ends.get() == 2 ? "ended, " : "not ended, ");
                System.out.print(daemon.isHealthy() ? "healthy" : "broken");
            }
        }
    }

    /** Closes a daemon in a full heap, and again later. */
    static final class ClosesTwice {
        private ClosesTwice() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            daemon(folder).close(); // loads the classes
            ZbmiDaemon daemon = daemon(folder);
            AtomicBoolean isFull = new AtomicBoolean();
            Thread closer = Thread.ofPlatform().start(() -> closeIf(isFull, daemon));
            Object[] filler = {FullHeap.fill()};
            isFull.set(true);
            closer.join();
            filler[0] = null;
            daemon.close();
            daemon(folder).close();
            System.out.print("then another daemon");
        }

        private static void closeIf(AtomicBoolean isFull, ZbmiDaemon daemon) {
            while (!isFull.get()) {
                Thread.onSpinWait();
            }
            try {
                daemon.close();
            } catch (OutOfMemoryError e) {
                // What needs memory is left to the next close.
            }
        }
    }
}

package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.testsuite.support.ThreadWatch;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Many calls and many pulls: nothing grows. */
@Timeout(5_000)
class EnduranceTest {
    private static final boolean LONG = Boolean.getBoolean("jbmi.long");
    private static final int CALLS = Integer.getInteger("calls", LONG ? 1_000_000 : 2_560);
    private static final int PULLS = Integer.getInteger("pulls", LONG ? 100_000 : 160);
    private static final int AT_A_TIME = 64;
    // For the heap of the JDK; 100 bytes for each call of the short form.
    private static final long NOISE_BYTES = 256 << 10;
    private static final List<String> KEPT =
            List.of(
                    "bmi.operations",
                    "bmi.unexpectedHeld",
                    "bmi.unexpectedWaiting",
                    ".poolBlocks",
                    ".leakedBlocks",
                    ".heldBytes",
                    ".leasedBytes",
                    "shipper.server.sessions");
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"loopback", "direct", "daemon", "unix link", "tcp link", "tcp"})
    void callsAndPullsLeaveNothing(String way) throws Exception {
        LoopbackHub hub = new LoopbackHub();
        String run = folder.resolve("z").toString();
        String gateway = folder.resolve("g").toString();
        boolean zoid = !way.equals("loopback") && !way.equals("tcp");
        try (ZbmiDaemon daemon = zoid ? daemon(run, gateway) : null;
                Bmi server = server(way, hub, run);
                Bmi client = client(way, hub, run, daemon)) {
            PeerAddress address =
                    client.lookup(
                            switch (way) {
                                case "loopback" -> "loopback://server";
                                case "tcp" -> KillPeer.address("tcp", server);
                                default -> "zoid://";
                            });
            try (ShipperServer shipped = ShipperServer.on(server);
                    Shipper shipper = Shipper.on(client)) {
                register(shipped);
                work(shipper, address, CALLS / 10, PULLS / 10);
                Setup.untilEqual( // the receive that ends with the client
                        "operations", 1L, () -> atRest(server).get("bmi.operations"));
                Map<String, Long> rest = atRest(server);
                long threads = threads();
                long before = settled();
                long startNs = System.nanoTime();
                work(shipper, address, CALLS, 0);
                long callsNs = System.nanoTime() - startNs;
                startNs = System.nanoTime();
                work(shipper, address, 0, PULLS);
                long pullsNs = System.nanoTime() - startNs;
                long after = settled();
                System.out.printf(
                        "EnduranceTest %s: %d calls, %.0f a second; %d pulls of 64 KiB, %.0f a"
                                + " second; heap %d KiB before, %d KiB after%n",
                        way,
                        CALLS,
                        CALLS * 1e9 / callsNs,
                        PULLS,
                        PULLS * 1e9 / pullsNs,
                        before >> 10,
                        after >> 10);
                Setup.until("the handlers have ended", () -> threads() <= threads + 2);
                // What the JDK's cleaner frees goes only after its thread has run.
                Setup.until("the heap has not grown", () -> used() - before < NOISE_BYTES);
                assertThat(server.counters().find("shipper.server.leasedBytes").get()).isZero();
                assertThat(server.counters().find("shipper.server.brokenSessions").get()).isZero();
                assertThat(client.counters().find("bmi.operations").get())
                        .isLessThan(AT_A_TIME + 8);
                Setup.untilEqual("what the server keeps", rest, () -> atRest(server));
            }
            Setup.until("nothing is posted", () -> atRest(server).get("bmi.operations") == 0);
            assertThat(server.counters().find("shipper.server.sessions").get()).isZero();
        }
    }

    /** Blocks, messages, and operations that an instance keeps. */
    private static Map<String, Long> atRest(Bmi bmi) {
        Map<String, Long> kept = new TreeMap<>();
        bmi.counters()
                .all()
                .forEach(
                        counter -> {
                            String label = counter.spec().label();
                            if (KEPT.stream().anyMatch(label::endsWith)) {
                                kept.put(label, counter.get());
                            }
                        });
        assertThat(kept).containsKeys("bmi.operations", "shipper.server.heldBytes");
        return kept;
    }

    private static void register(ShipperServer shipped) {
        shipped.register(
                "next", Number.class, Number.class, call -> new Number(call.input().value() + 1));
        shipped.register(
                "pull",
                Move.class,
                Number.class,
                call -> {
                    try (Lease lease = call.pull(call.input().data())) {
                        return new Number(lease.segment().byteSize());
                    }
                });
        shipped.start();
    }

    private static void work(Shipper shipper, PeerAddress server, int calls, int pulls) {
        RemoteFunction<Number, Number> next = shipper.function("next", Number.class, Number.class);
        RemoteFunction<Move, Number> pull = shipper.function("pull", Move.class, Number.class);
        List<ShippedCall<Number>> batch = new ArrayList<>();
        for (int done = 0; done < calls; done += batch.size()) {
            batch.clear();
            for (int i = 0; i < AT_A_TIME; i++) {
                batch.add(next.forward(server, new Number(i)));
            }
            assertThat(Shipper.awaitAll(batch, SOON)).isTrue();
            assertThat(batch.getLast().await(SOON).value()).isEqualTo(AT_A_TIME);
        }
        try (BulkHandle data =
                shipper.expose(MemorySegment.ofArray(new byte[64 << 10]), Permission.READ)) {
            for (int done = 0; done < pulls; done += batch.size()) {
                batch.clear();
                for (int i = 0; i < 8; i++) {
                    batch.add(pull.forward(server, new Move(data, 0, 0)));
                }
                assertThat(Shipper.awaitAll(batch, SOON)).isTrue();
                assertThat(batch.getLast().await(SOON).value()).isEqualTo(64 << 10);
            }
        }
    }

    /** How many threads live, the virtual ones of handlers included. */
    private static long threads() {
        return ThreadWatch.dump().lines().filter(line -> line.startsWith("#")).count();
    }

    /** What is left on the heap when the JDK's cleaner has freed what others have left. */
    private static long settled() {
        long least = used();
        for (long next = used(); next < least; next = used()) {
            least = next;
        }
        return least;
    }

    /** What is left on the heap after a collection, without what threads have taken since. */
    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getCollectionUsage().getUsed())
                .sum();
    }

    private static ZbmiDaemon daemon(String run, String gateway) {
        return ZbmiDaemon.builder()
                .knob("zoid.runtimeDirectory", run)
                .knob("zbmi.totalBytes", "64m")
                .knob("zbmi.gatewaySocket", gateway)
                .knob("zbmi.gatewayPort", "0")
                .start();
    }

    private static Bmi server(String way, LoopbackHub hub, String run) {
        BmiBuilder builder = Bmi.builder().attach(LoopbackHub.class, hub);
        return switch (way) {
            case "loopback" -> builder.listen("loopback://server").open();
            case "tcp" -> builder.listen("tcp://127.0.0.1:0").open();
            default ->
                    builder.knob("zoid.runtimeDirectory", run)
                            .knob("zoid.host", way.equals("direct") ? "direct" : "daemon")
                            .listen("zoid://")
                            .open();
        };
    }

    private static Bmi client(
            String way, LoopbackHub hub, String run, @Nullable ZbmiDaemon daemon) {
        BmiBuilder builder = Bmi.builder().attach(LoopbackHub.class, hub);
        if (way.endsWith(" link") && daemon != null) {
            boolean unix = way.startsWith("unix");
            builder.knob("zoid.clientLink", "socket")
                    .knob(
                            "zoid.serverAddress",
                            daemon.gatewayAddresses().stream()
                                    .filter(address -> address.startsWith("/") == unix)
                                    .findFirst()
                                    .orElseThrow());
        } else {
            builder.knob("zoid.runtimeDirectory", run);
        }
        return builder.open();
    }
}

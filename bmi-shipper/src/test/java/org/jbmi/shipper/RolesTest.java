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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Who may be what at a time: many clients, many servers, both in one, over several methods. */
@Timeout(600)
class RolesTest {
    private static final boolean LONG = Boolean.getBoolean("jbmi.long");
    private static final int CLIENTS = LONG ? 1_000 : 40;
    private static final int SERVERS = 3;
    private static final int BYTES = 64 << 10;
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir private Path folder;

    private static Bmi listening(String method, LoopbackHub hub, String name) {
        BmiBuilder builder = Bmi.builder().attach(LoopbackHub.class, hub);
        return builder.listen(method.equals("tcp") ? "tcp://127.0.0.1:0" : "loopback://" + name)
                .open();
    }

    private static String address(String method, Bmi server, String name) {
        return method.equals("tcp") ? KillPeer.address("tcp", server) : "loopback://" + name;
    }

    /** All of them stay, each with a session with each server. */
    @ParameterizedTest
    @ValueSource(strings = {"loopback", "tcp"})
    void aServerHasManyClientsAndAClientManyServers(String method) throws Exception {
        LoopbackHub hub = new LoopbackHub();
        List<AutoCloseable> opened = new ArrayList<>();
        try {
            List<Bmi> servers = new ArrayList<>();
            for (int i = 0; i < SERVERS; i++) {
                Bmi bmi = listening(method, hub, "s" + i);
                ShipperServer server = ShipperServer.on(bmi);
                long number = i;
                server.register(
                        "next",
                        Number.class,
                        Number.class,
                        c -> new Number(c.input().value() + number));
                servers.add(bmi);
                opened.add(bmi);
                opened.add(server.start());
            }
            for (int i = 0; i < CLIENTS; i++) {
                Bmi bmi = Bmi.builder().attach(LoopbackHub.class, hub).open();
                Shipper shipper = Shipper.builder(bmi).withoutThreads().client();
                opened.add(bmi);
                opened.add(shipper);
                RemoteFunction<Number, Number> next =
                        shipper.function("next", Number.class, Number.class);
                for (int k = 0; k < SERVERS; k++) {
                    PeerAddress to = bmi.lookup(address(method, servers.get(k), "s" + k));
                    assertThat(next.call(to, new Number(i), SOON)).isEqualTo(new Number(i + k));
                }
            }
            for (Bmi server : servers) {
                assertThat(server.counters().find("shipper.server.sessions").get())
                        .isEqualTo(CLIENTS);
                assertThat(server.counters().find("shipper.server.brokenSessions").get()).isZero();
            }
        } finally {
            for (AutoCloseable one : opened.reversed()) {
                one.close();
            }
        }
    }

    /** On zoid a client knows one server. */
    @Test
    void aServerOfZoidHasManyClients() throws Exception {
        String run = folder.resolve("z").toString();
        List<AutoCloseable> opened = new ArrayList<>();
        try (Bmi server =
                        Bmi.builder()
                                .knob("zoid.runtimeDirectory", run)
                                .knob("zoid.host", "embedded")
                                .knob("zbmi.maxClients", Integer.toString(CLIENTS))
                                .listen("zoid://")
                                .open();
                ShipperServer shipped = ShipperServer.on(server)) {
            shipped.register(
                    "next", Number.class, Number.class, c -> new Number(c.input().value() + 1));
            shipped.start();
            try {
                for (int i = 0; i < CLIENTS; i++) {
                    Bmi bmi = Bmi.builder().knob("zoid.runtimeDirectory", run).open();
                    opened.add(bmi);
                    Shipper shipper = Shipper.builder(bmi).withoutThreads().client();
                    opened.add(shipper);
                    assertThat(
                                    shipper.function("next", Number.class, Number.class)
                                            .call(bmi.lookup("zoid://"), new Number(i), SOON))
                            .isEqualTo(new Number(i + 1));
                }
                assertThat(server.counters().find("shipper.server.sessions").get())
                        .isEqualTo(CLIENTS);
            } finally {
                for (AutoCloseable one : opened.reversed()) {
                    one.close();
                }
            }
        }
    }

    /** A handler calls its caller back; each of the two is client and server on one instance. */
    @ParameterizedTest
    @ValueSource(strings = {"loopback", "tcp"})
    void bothRolesShareOneInstance(String method) {
        LoopbackHub hub = new LoopbackHub();
        try (Bmi a = listening(method, hub, "a");
                Bmi b = listening(method, hub, "b");
                ShipperServer serverOfA = ShipperServer.on(a);
                ShipperServer serverOfB = ShipperServer.on(b);
                Shipper clientOfB = Shipper.on(b)) {
            PeerAddress toA = b.lookup(address(method, a, "a"));
            RemoteFunction<Number, Number> next =
                    clientOfB.function("next", Number.class, Number.class);
            serverOfA.register(
                    "next", Number.class, Number.class, c -> new Number(c.input().value() + 1));
            serverOfB.register(
                    "nextTwice",
                    Number.class,
                    Number.class,
                    c -> next.call(toA, next.call(toA, c.input(), SOON), SOON));
            serverOfA.start();
            serverOfB.start();
            try (Shipper clientOfA = Shipper.on(a)) {
                PeerAddress toB = a.lookup(address(method, b, "b"));
                assertThat(
                                clientOfA
                                        .function("nextTwice", Number.class, Number.class)
                                        .call(toB, new Number(5), SOON))
                        .isEqualTo(new Number(7));
            }
            // The end of the one role is not that of the other.
            assertThat(next.call(toA, new Number(1), SOON)).isEqualTo(new Number(2));
        }
    }

    @Test
    void callsGoOverOneMethodAndDataOverAnother() throws Exception {
        String run = folder.resolve("z").toString();
        try (Bmi server =
                        Bmi.builder()
                                .knob("zoid.runtimeDirectory", run)
                                .knob("zoid.host", "embedded")
                                .knob("zbmi.totalBytes", "64m")
                                .listen("tcp://127.0.0.1:0")
                                .listen("zoid://")
                                .open();
                Bmi client = Bmi.builder().knob("zoid.runtimeDirectory", run).open();
                ShipperServer shipped = ShipperServer.on(server);
                Shipper shipper = Shipper.on(client);
                BulkHandle data =
                        shipper.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.READ)) {
            List<String> schemes = new ArrayList<>();
            shipped.register(
                    "pull",
                    Move.class,
                    Number.class,
                    call -> {
                        schemes.add(call.client().scheme());
                        try (Lease lease = call.pull(call.input().data())) {
                            return new Number(lease.segment().byteSize());
                        }
                    });
            shipped.start();
            PeerAddress calls = client.lookup(KillPeer.address("tcp", server));
            shipper.connectForBulk(client.lookup("zoid://"), SOON);
            long copies = client.counters().find("zoid.client.copies").get();
            assertThat(
                            shipper.function("pull", Move.class, Number.class)
                                    .call(calls, new Move(data, 0, 0), SOON))
                    .isEqualTo(new Number(BYTES));
            assertThat(schemes).containsExactly("tcp");
            assertThat(client.counters().find("zoid.client.copies").get()).isGreaterThan(copies);
        }
    }
}

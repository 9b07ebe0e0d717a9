package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Knob;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Nothing;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** What can be seen from outside. */
@Timeout(60)
class WatchTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir private Path folder;

    /** Registers a function whose handlers tell that they run, and end when they may go. */
    private static void hang(ShipperServer server, CountDownLatch runs, CountDownLatch go) {
        server.register(
                "hang",
                Nothing.class,
                Nothing.class,
                call -> {
                    runs.countDown();
                    go.await();
                    return new Nothing();
                });
    }

    @Test
    void callsUnderWayAreToldWithTheirReasonAlsoWhenNoHandlerMayRun() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch runs = new CountDownLatch(1);
        try (Setup setup = Setup.of("loopback");
                ShipperServer server =
                        Shipper.builder(setup.server).knob("shipper.maxRunning", "1").server();
                Shipper client = Shipper.on(setup.client)) {
            hang(server, runs, go);
            server.start();
            RemoteFunction<Nothing, Nothing> hang =
                    client.function("hang", Nothing.class, Nothing.class);
            ShippedCall<Nothing> first = hang.forward(setup.address(), new Nothing());
            runs.await();
            ShippedCall<Nothing> second =
                    hang.withDeadline(Duration.ZERO).forward(setup.address(), new Nothing());
            List<CallUnderWay> calls = client.underWay(setup.address(), 10, SOON);
            assertThat(calls)
                    .extracting(CallUnderWay::reason)
                    .containsExactly(
                            "its handler runs",
                            "waits for its turn: 1 handlers run, shipper.maxRunning");
            assertThat(calls).extracting(CallUnderWay::function).containsOnly("hang");
            assertThat(calls.get(0).leftMs()).isBetween(1L, 60_000L);
            assertThat(calls.get(1).leftMs()).isEqualTo(-1);
            assertThat(client.underWay(setup.address(), 1, SOON)).hasSize(1);
            assertThat(server.underWay()).hasSize(2);
            assertThat(client.counts(setup.address(), SOON))
                    .contains(
                            new ServerCount("shipper.server.refusals", 0, "calls"),
                            new ServerCount("shipper.server.sessions", 1, "sessions"))
                    .hasSize(13)
                    .anySatisfy(
                            count -> {
                                assertThat(count.name()).isEqualTo("shipper.server.calls");
                                assertThat(count.value()).isGreaterThanOrEqualTo(2);
                            });
            go.countDown();
            first.await(SOON);
            second.await(SOON);
            assertThatThrownBy(
                            () ->
                                    server.register(
                                            "shipper.mine",
                                            Nothing.class,
                                            Nothing.class,
                                            Call::input))
                    .isInstanceOf(BmiException.class);
        }
    }

    @Test
    void aServerMayKeepWhatIsUnderWayToItself() throws Exception {
        try (Setup setup = Setup.of("loopback");
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.introspection", "false")
                                .server();
                Shipper client = Shipper.on(setup.client)) {
            server.start();
            assertThatThrownBy(() -> client.underWay(setup.address(), 10, SOON))
                    .isInstanceOfSatisfying(
                            CallFailedException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ENOSYS));
        }
    }

    @Test
    void theFlightRecorderSeesCallsAndTransfers() throws Exception {
        Path file = folder.resolve("shipper.jfr");
        try (Recording recording = new Recording();
                Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            recording.enable("org.jbmi.ShippedCall");
            recording.enable("org.jbmi.ServedCall");
            recording.enable("org.jbmi.BulkTransfer");
            recording.start();
            server.register(
                    "pull",
                    Move.class,
                    Number.class,
                    call -> {
                        call.pull(call.input().data()).close();
                        throw new BmiException(ErrorCode.ENOSPC, "Full.");
                    });
            server.start();
            try (BulkHandle data =
                    client.expose(MemorySegment.ofArray(new byte[5_000]), Permission.READ)) {
                assertThatThrownBy(
                                () ->
                                        client.function("pull", Move.class, Number.class)
                                                .call(setup.address(), new Move(data, 0, 0), SOON))
                        .isInstanceOf(CallFailedException.class);
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events)
                .filteredOn(event -> event.hasField("error"))
                .extracting(
                        event -> event.getEventType().getName() + " " + event.getString("error"))
                .containsExactlyInAnyOrder(
                        "org.jbmi.ShippedCall ENOSPC",
                        "org.jbmi.ServedCall ENOSPC",
                        "org.jbmi.BulkTransfer ");
        assertThat(events)
                .filteredOn(event -> event.hasField("function"))
                .extracting(event -> event.getString("function"))
                .containsExactly("pull", "pull");
    }

    /** The page is written by hand: what it names exists. */
    @Test
    @SuppressWarnings("try") // they register what they count
    void theHowToNamesEveryCounter() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "howto", "shipper.md"));
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            for (String side : List.of("client", "server")) {
                var bmi = side.equals("client") ? setup.client : setup.server;
                bmi.counters().all().stream()
                        .map(counter -> counter.spec().label())
                        .filter(label -> label.startsWith("shipper." + side))
                        .forEach(
                                label ->
                                        assertThat(page)
                                                .containsAnyOf(
                                                        "`" + label + "`",
                                                        "`"
                                                                + label.substring(
                                                                        label.lastIndexOf('.'))
                                                                + "`"));
            }
        }
        assertThat(ShipperKnobs.all()).extracting(Knob::name).doesNotHaveDuplicates();
    }

    @Test
    void aServerThatTakesNoCallTellsWhatIsUnderWay() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (Setup setup = Setup.of("loopback");
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxRunning", "1")
                                .knob("shipper.maxWaiting", "1")
                                .server();
                Shipper client = Shipper.on(setup.client)) {
            hang(server, new CountDownLatch(1), go);
            server.start();
            RemoteFunction<Nothing, Nothing> hang =
                    client.function("hang", Nothing.class, Nothing.class);
            List<ShippedCall<Nothing>> calls = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                calls.add(hang.forward(setup.address(), new Nothing()));
            }
            assertThatThrownBy(() -> hang.call(setup.address(), new Nothing(), SOON))
                    .isInstanceOfSatisfying(
                            CallFailedException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ETRYAGAIN));
            assertThat(client.underWay(setup.address(), 10, SOON)).hasSize(2);
            go.countDown();
            for (ShippedCall<Nothing> call : calls) {
                call.await(SOON);
            }
        }
    }
}

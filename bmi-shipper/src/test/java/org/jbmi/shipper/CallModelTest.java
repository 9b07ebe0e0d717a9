package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.CallModel.Entry;
import org.jbmi.shipper.CallModel.Kind;
import org.jbmi.shipper.Records.Number;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Random programs of calls, cancels, deadlines, late answers and deaths, in one thread and under a
 * clock that is moved by hand: each call has the outcome that the model says, when it says so.
 */
@Timeout(100)
class CallModelTest {
    private static final int PROGRAMS = Boolean.getBoolean("jbmi.long") ? 20_000 : 150;
    private static final int STEPS = 60;
    private static final int WINDOW = 6;

    private final LoopbackHub hub = new LoopbackHub();
    private final List<String> history = new ArrayList<>();
    private final Map<Integer, ShippedCall<Number>> calls = new HashMap<>();
    private final Map<Integer, DeferredAnswer<Number>> deferred = new HashMap<>();
    private CallModel model;
    private SplittableRandom random;
    private long nowNs;
    private Bmi serverBmi;
    private ShipperServer server;
    private Bmi clientBmi;
    private Shipper client;
    private PeerAddress address;
    private int nextId;

    @Test
    void everyCallEndsAsTheModelSays() {
        long first = Long.getLong("seed", System.nanoTime());
        System.out.println(
                "CallModelTest: -Dseed=" + first + " (and the " + PROGRAMS + " after it)");
        for (long seed = first; seed < first + PROGRAMS; seed++) {
            play(seed);
        }
    }

    /** Six messages of a session that the server does not know, and five receives of the client. */
    @Test
    void aCallAfterManyMessagesOfAnUnknownSessionEndsAsTheModelSays() {
        play(8_487_865_417_343L);
    }

    /** A goodbye for each message would leave some that no receive meets, and nobody ends those. */
    @Test
    void aSessionThatIsNotKnownGetsOneGoodbye() {
        openServer();
        openClient();
        try {
            List<ShippedCall<Number>> sent = new ArrayList<>(List.of(echo()));
            server.process(Duration.ZERO);
            kill(serverBmi);
            openServer();
            client.progress(Duration.ZERO); // takes the welcome of the server that is gone
            while (sent.size() < WINDOW) {
                sent.add(echo());
            }
            sent.forEach(ShippedCall::cancel);
            server.process(Duration.ZERO);
            assertThat(serverBmi.counters().find("bmi.operations").get()).isZero();
            client.progress(Duration.ZERO);
            ShippedCall<Number> next = echo(); // in a session of its own
            for (int i = 0; i < 2; i++) {
                server.process(Duration.ZERO);
                client.progress(Duration.ZERO);
            }
            assertThat(outcome(next)).isEqualTo("value 1");
        } finally {
            kill(clientBmi);
            kill(serverBmi);
        }
    }

    private ShippedCall<Number> echo() {
        return client.function("ECHO", Number.class, Number.class).forward(address, new Number(1));
    }

    private void play(long seed) {
        random = new SplittableRandom(seed);
        model = new CallModel(WINDOW);
        nowNs = 0;
        nextId = 0;
        history.clear();
        calls.clear();
        deferred.clear();
        openServer();
        openClient();
        try {
            for (int i = 0; i < STEPS; i++) {
                step();
                compare(seed);
            }
            settle(seed);
        } finally {
            kill(clientBmi);
            kill(serverBmi);
        }
    }

    private void openServer() {
        serverBmi = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://s").open();
        server =
                Shipper.builder(serverBmi)
                        .withoutThreads()
                        .clock(() -> nowNs)
                        .knob("shipper.maxCallsPerClient", Integer.toString(WINDOW))
                        .server();
        server.register("ECHO", Number.class, Number.class, Call::input);
        server.register(
                "FAIL",
                Number.class,
                Number.class,
                call -> {
                    throw new BmiException(ErrorCode.ENOSPC, "Full.");
                });
        server.register(
                "DEFER",
                Number.class,
                Number.class,
                call -> {
                    deferred.put((int) call.input().value(), call.defer());
                    return null;
                });
        server.start();
    }

    private void openClient() {
        clientBmi = Bmi.builder().attach(LoopbackHub.class, hub).open();
        client =
                Shipper.builder(clientBmi)
                        .withoutThreads()
                        .clock(() -> nowNs)
                        .knob("shipper.maxCalls", Integer.toString(WINDOW))
                        .client();
        address = clientBmi.lookup("loopback://s");
    }

    /** As if the process were gone: nobody says goodbye. */
    private static void kill(Bmi bmi) {
        while (!bmi.isClosed()) {
            bmi.close();
        }
    }

    private void step() {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> forward();
            case 6, 7, 8 -> cancel();
            case 9, 10 -> answer();
            case 11, 12, 13 -> clientStep();
            case 14, 15, 16 -> serverStep();
            case 17, 18 -> advance(20 + random.nextInt(60));
            default -> {
                if (random.nextInt(3) == 0) {
                    killOne();
                }
            }
        }
    }

    private void forward() {
        Kind kind = Kind.values()[random.nextInt(3)];
        long deadlineMs = random.nextBoolean() ? 0 : 10 + random.nextInt(100);
        int id = nextId++;
        history.add("forward " + id + " " + kind + " " + deadlineMs);
        calls.put(
                id,
                client.function(kind.name(), Number.class, Number.class)
                        .withDeadline(Duration.ofMillis(deadlineMs))
                        .forward(address, new Number(id)));
        model.forward(id, kind, deadlineMs);
    }

    private void cancel() {
        if (!calls.isEmpty()) {
            int id = random.nextInt(nextId);
            history.add("cancel " + id);
            ShippedCall<Number> call = calls.get(id);
            if (call != null) {
                boolean expected = model.cancel(model.calls.get(id), ErrorCode.ECANCEL);
                assertThat(call.cancel() == CancelOutcome.CANCELLED).isEqualTo(expected);
            }
        }
    }

    private void answer() {
        if (!deferred.isEmpty()) {
            int id = List.copyOf(deferred.keySet()).get(random.nextInt(deferred.size()));
            history.add("answer " + id);
            boolean expected = model.answer(model.calls.get(id));
            assertThat(deferred.get(id).complete(new Number(id)))
                    .as("%s", history)
                    .isEqualTo(expected);
        }
    }

    private void clientStep() {
        history.add("client");
        client.progress(Duration.ZERO);
        model.clientStep();
    }

    private void serverStep() {
        history.add("server");
        server.process(Duration.ZERO);
        model.serverStep();
    }

    private void advance(long ms) {
        history.add("advance " + ms);
        nowNs += ms * 1_000_000;
        model.now += ms;
    }

    private void killOne() {
        if (random.nextBoolean()) {
            history.add("server dies");
            kill(serverBmi);
            deferred.clear();
            model.serverDies();
            openServer();
            clientStep(); // hears of it before it calls the next one
        } else {
            history.add("client dies");
            kill(clientBmi);
            calls.clear();
            model.clientDies();
            openClient();
            serverStep();
        }
    }

    private void compare(long seed) {
        for (Map.Entry<Integer, ShippedCall<Number>> entry : calls.entrySet()) {
            Entry expected = model.calls.get(entry.getKey());
            assertThat(outcome(entry.getValue()))
                    .as("call %d, seed %d: %s", entry.getKey(), seed, history)
                    .isEqualTo(expected.outcome);
        }
        deferred.forEach(
                (id, answer) ->
                        assertThat(answer.isAbandoned())
                                .as("abandoned %d, seed %d: %s", id, seed, history)
                                .isEqualTo(model.calls.get(id).abandoned));
    }

    private static String outcome(ShippedCall<Number> call) {
        if (!call.isDone()) {
            return CallModel.OPEN;
        }
        try {
            return "value " + call.await(Duration.ZERO).value();
        } catch (CallFailedException e) {
            return e.code().name();
        }
    }

    /** At rest nothing is left: no call, no operation but the receives that are kept. */
    private void settle(long seed) {
        for (int i = 0; i < 4; i++) {
            clientStep();
            serverStep();
            deferred.forEach(
                    (id, answer) ->
                            assertThat(answer.complete(new Number(id)))
                                    .isEqualTo(model.answer(model.calls.get(id))));
        }
        advance(1_000);
        clientStep();
        serverStep();
        clientStep();
        compare(seed);
        assertThat(calls.values()).as("seed %d", seed).allMatch(ShippedCall::isDone);
        assertThat(clientBmi.counters().find("bmi.operations").get())
                .as("operations of the client, seed %d: %s", seed, history)
                .isLessThanOrEqualTo(WINDOW + 3);
    }
}

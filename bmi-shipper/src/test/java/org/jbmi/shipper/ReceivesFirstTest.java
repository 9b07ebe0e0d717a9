package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.Records.Bytes;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A client posts the receives for all that its server may say before the call is on its way: in
 * random programs, a server that speaks at the very moment when a call arrives, inside the client's
 * send, meets a receive with each of its messages. A message for which there is none waits, and
 * overtakes no earlier one.
 */
@Timeout(60)
class ReceivesFirstTest {
    private static final int PROGRAMS = Boolean.getBoolean("jbmi.long") ? 10_000 : 200;
    private static final int STEPS = 60;
    private static final int MEMORY_BYTES = 16;

    /** Does not fit an unexpected message, so that the client exposes it. */
    private static final int LARGE_BYTES = 10_000;

    /** What a server may ask of exposed memory before the client makes progress. */
    private static final int REQUESTS = 4;

    private static final BulkHandle NOWHERE =
            new BulkHandle(
                    new BulkHandle.Token(0, 0),
                    new BulkHandle.Token(0, 0),
                    0,
                    MEMORY_BYTES,
                    Permission.WRITE);

    @Test
    void whateverAServerSaysWhenACallArrivesMeetsAReceive() {
        long first = Long.getLong("seed", System.nanoTime());
        System.out.println(
                "ReceivesFirstTest: -Dseed=" + first + " (and the " + PROGRAMS + " after it)");
        for (long seed = first; seed < first + PROGRAMS; seed++) {
            new Program(seed).play();
        }
    }

    /** The goodbye completes a later receive in its post. The answer is not reported then. */
    @Test
    void aMessageThatWaitedIsReadAfterTheEarlierOnes() {
        LoopbackHub hub = new LoopbackHub();
        try (Bmi serving =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen("loopback://server")
                                .open();
                Bmi calling = Bmi.builder().attach(LoopbackHub.class, hub).open();
                RawServer server = new RawServer(serving);
                Shipper client = Shipper.builder(calling).withoutThreads().client()) {
            PeerAddress address = calling.lookup("loopback://server");
            RemoteFunction<Number, Number> any = client.function("any", Number.class, Number.class);
            ShippedCall<Number> first = any.forward(address, new Number(1));
            server.welcome();
            List<Long> calls = new ArrayList<>();
            Setup.until(
                    "the call",
                    () -> !calls.isEmpty(),
                    () -> client.progress(Duration.ZERO),
                    () -> calls.addAll(server.calls()));
            assertThat(server.reply(calls.getFirst(), 7)).isTrue();
            Encoder goodbye = server.begin(Wire.GOODBYE, 0);
            goodbye.putInt(ErrorCode.EPIPE.negativeValue());
            goodbye.putString("over");
            Encoder ofAnother = new Encoder(1024);
            Wire.begin(ofAnother, Wire.GOODBYE, 1, 0);
            while (server.meetsAReceive(ofAnother)) {
                // until no receive is left
            }
            assertThat(server.meetsAReceive(goodbye)).isFalse();
            any.forward(address, new Number(2)).cancel();
            any.forward(address, new Number(3)).cancel();
            Setup.until("the answer", first::isDone, () -> client.progress(Duration.ZERO));
            assertThat(first.await(Duration.ZERO)).isEqualTo(new Number(7));
        }
    }

    /** A call that was forwarded. */
    private record Forwarded(ShippedCall<Number> call, boolean isLarge) {}

    /** One random program. Time stands still in it, and all of it runs in one thread. */
    private static final class Program {
        private final SplittableRandom random;
        private final List<String> history = new ArrayList<>();
        private final List<Forwarded> forwarded = new ArrayList<>();

        /** Numbers of calls that the server has not answered. */
        private final List<Long> unanswered = new ArrayList<>();

        private final byte[] memory = new byte[MEMORY_BYTES];
        private final byte[] expected = new byte[MEMORY_BYTES];
        private BulkHandle data;
        private RawServer server;
        private Shipper client;
        private RemoteFunction<Bytes, Number> function;
        private boolean isWelcome;
        private boolean forwardsLarge;

        /** Whether the last call came with memory exposed, which still is. */
        private boolean mayRequest;

        /** Requests that the client has not heard of. */
        private int untold;

        private long requests;

        Program(long seed) {
            random = new SplittableRandom(seed);
            history.add("seed " + seed);
        }

        void play() {
            LoopbackHub hub = new LoopbackHub();
            try (Bmi serving =
                            Bmi.builder()
                                    .attach(LoopbackHub.class, hub)
                                    .listen("loopback://server")
                                    .open();
                    Bmi calling = Bmi.builder().attach(LoopbackHub.class, hub).open();
                    RawServer raw = new RawServer(serving);
                    Shipper shipper =
                            Shipper.builder(WatchedBmi.after(calling, this::heard))
                                    .withoutThreads()
                                    .clock(() -> 0)
                                    .client()) {
                server = raw;
                client = shipper;
                function = client.function("any", Bytes.class, Number.class);
                forward(calling);
                server.welcome();
                isWelcome = true;
                progress(); // the first call goes
                for (int i = 0; i < STEPS; i++) {
                    step(calling);
                }
                settle();
            }
        }

        private void step(Bmi calling) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> forward(calling);
                case 3, 4 -> progress();
                case 5 -> speak();
                case 6 -> expose();
                default -> revoke();
            }
        }

        /** The server takes what was sent, in the thread that has just sent it. */
        private void heard(String what) {
            if (isWelcome && what.equals("postSendUnexpected")) {
                List<Long> calls = server.calls();
                unanswered.addAll(calls);
                if (!calls.isEmpty()) {
                    mayRequest = exposesAnything();
                    speak();
                }
            }
        }

        private void forward(Bmi calling) {
            long open = forwarded.stream().filter(one -> !one.call().isDone()).count();
            if (open < RawServer.SLOTS) {
                boolean large = random.nextInt(5) == 0;
                history.add(large ? "forward much" : "forward");
                forwardsLarge = large;
                Bytes input = new Bytes(new byte[large ? LARGE_BYTES : 1]);
                forwarded.add(
                        new Forwarded(
                                function.forward(calling.lookup("loopback://server"), input),
                                large));
                forwardsLarge = false;
            }
        }

        private boolean exposesAnything() {
            return data != null
                    || forwardsLarge
                    || forwarded.stream().anyMatch(one -> one.isLarge() && !one.call().isDone());
        }

        /** All that it may, or a part: requests and answers, in any order. */
        private void speak() {
            int wanted = mayRequest ? random.nextInt(REQUESTS - untold + 1) : 0;
            int answers = random.nextInt(unanswered.size() + 1);
            while (wanted + answers > 0) {
                if (random.nextInt(wanted + answers) < wanted) {
                    wanted--;
                    request();
                } else {
                    answers--;
                    answer();
                }
            }
        }

        private void request() {
            untold++;
            requests++;
            history.add("request");
            int offset = random.nextInt(MEMORY_BYTES);
            BulkHandle into = data == null ? NOWHERE : data;
            if (data != null) {
                expected[offset] = (byte) requests;
            }
            assertThat(server.push(requests, into, offset, (byte) requests))
                    .as("a receive for a request: %s", history)
                    .isTrue();
        }

        private void answer() {
            history.add("answer");
            long call = unanswered.remove(random.nextInt(unanswered.size()));
            assertThat(server.reply(call, call))
                    .as("a receive for an answer: %s", history)
                    .isTrue();
        }

        private void progress() {
            history.add("progress");
            int before;
            do { // a call that goes meanwhile may be answered by more
                before = untold;
                client.progress(Duration.ZERO);
                untold -= before;
            } while (untold > 0);
            mayRequest &= exposesAnything();
            assertThat(memory).as("%s", history).isEqualTo(expected);
        }

        private void expose() {
            if (data == null) {
                history.add("expose");
                data = client.expose(MemorySegment.ofArray(memory), Permission.WRITE);
            }
        }

        /** What was asked for before is done first. */
        private void revoke() {
            if (data != null) {
                progress();
                history.add("revoke");
                data.close();
                data = null;
                mayRequest &= exposesAnything();
            }
        }

        private void settle() {
            while (!unanswered.isEmpty()) {
                answer();
            }
            progress();
            for (Forwarded one : forwarded) {
                assertThat(one.call().isDone()).as("%s", history).isTrue();
                one.call().await(Duration.ZERO);
            }
        }
    }
}

package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.simulator.heap.AllocationLoader;
import org.jbmi.simulator.heap.AllocationThread;
import org.jbmi.simulator.heap.HeapFull;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A client calls a server, and one of the objects that both make has no room in the heap: the
 * first, the second, and so on. Whichever it is, the call ends, its future ends, its memory is free
 * again, and later calls work.
 */
@Timeout(300)
class CallsInFullHeapTest {
    private static final int MANY = 10_000;
    private static final String DONE = "done";
    private static final String FULL = "full";

    /** Bytes, written as they stand. */
    private record Bytes(byte[] value) {
        private static final Codec<Bytes> CODEC =
                new Codec<>() {
                    @Override
                    public String signature() {
                        return "{value:bytes}";
                    }

                    @Override
                    public void encode(Bytes value, Encoder out) {
                        out.putBytes(value.value);
                    }

                    @Override
                    public Bytes decode(Decoder in) {
                        return new Bytes(in.getBytes());
                    }
                };
    }

    /** A handle of the client's memory. */
    private record Handle(BulkHandle value) {
        private static final Codec<Handle> CODEC =
                new Codec<>() {
                    @Override
                    public String signature() {
                        return "{value:bulk}";
                    }

                    @Override
                    public void encode(Handle value, Encoder out) {
                        out.putHandle(value.value);
                    }

                    @Override
                    public Handle decode(Decoder in) {
                        return new Handle(in.getHandle());
                    }
                };
    }

    /** Calls, loaded anew with all that it needs. */
    public static final class Attempt extends AllocationThread {
        private static final StackWalker STACK = StackWalker.getInstance();
        private static final String TEST = CallsInFullHeapTest.class.getName();
        private static final int LEASED = 1_000;
        private static final int LARGE = 200_000;

        /** No step takes so many rounds, each of which is a millisecond of the clock. */
        private static final int ROUNDS = 2_000;

        private final String scenario;
        private final Consumer<Object> result;
        private int left;
        private String place = "";
        private long nowNs;
        private @Nullable Transfer transfer;
        private @Nullable DeferredAnswer<Bytes> answer;

        /**
         * Prepares.
         *
         * @param nth which object has no room; 0 for none
         * @param result is told how it ended
         */
        public Attempt(String scenario, int nth, Consumer<Object> result) {
            super("attempt");
            this.scenario = scenario;
            this.left = nth;
            this.result = result;
        }

        @Override
        protected void allocates() {
            if (left == 0) {
                return;
            }
            StackWalker.StackFrame maker = STACK.walk(all -> all.skip(3).findFirst().orElseThrow());
            String name = maker.getClassName();
            if (name.startsWith("org.jbmi.shipper.") && !name.startsWith(TEST) && --left == 0) {
                place = maker.toString();
                throw new HeapFull();
            }
        }

        @Override
        public void run() {
            int nth = left;
            left = 0;
            LoopbackHub hub = new LoopbackHub();
            try (Bmi above =
                            Bmi.builder()
                                    .attach(LoopbackHub.class, hub)
                                    .listen("loopback://server")
                                    .open();
                    Bmi below = Bmi.builder().attach(LoopbackHub.class, hub).open();
                    ShipperServer server = builder(above).server();
                    Shipper client = builder(below).client()) {
                serve(server);
                BulkHandle memory =
                        client.expose(MemorySegment.ofArray(new byte[LEASED]), Permission.READ);
                PeerAddress address = below.lookup("loopback://server");
                Runnable round = () -> round(client, server);
                later(client, address, round);
                left = nth;
                call(client, address, new Handle(memory), round);
                await("calls under way", () -> isIdle(server), round);
                await("leased", () -> count(above, "shipper.server.leasedBytes") == 0, round);
                await("held", () -> count(above, "shipper.server.heldBytes") == 0, round);
                boolean isOver = left > 0 || nth == 0;
                left = 0;
                later(client, address, round);
                result.accept(isOver ? DONE : FULL);
            } catch (Throwable e) {
                left = 0;
                result.accept(new AssertionError("no room at " + place, e));
            }
        }

        private ShipperBuilder builder(Bmi bmi) {
            return Shipper.builder(bmi)
                    .withoutThreads()
                    .clock(() -> nowNs)
                    .knob("shipper.transferIdleMs", "100")
                    .knob("shipper.closeWaitMs", "1"); // the other side makes no progress then
        }

        private void serve(ShipperServer server) {
            server.register("nothing", Bytes.CODEC, Bytes.CODEC, Call::input)
                    .register(
                            "output", Handle.CODEC, Bytes.CODEC, call -> new Bytes(new byte[LARGE]))
                    .register("pull", Handle.CODEC, Bytes.CODEC, this::pull)
                    .register(
                            "cancel",
                            Handle.CODEC,
                            Bytes.CODEC,
                            call -> {
                                Bytes none = pull(call);
                                transfer.cancel();
                                return none;
                            })
                    .start();
        }

        private @Nullable Bytes pull(Call<Handle, Bytes> call) {
            Lease lease = call.lease(LEASED);
            answer = call.defer();
            transfer = call.startPull(call.input().value, 0, List.of(lease.segment()), 0, LEASED);
            return null;
        }

        private void round(Shipper client, ShipperServer server) {
            nowNs += TimeUnit.MILLISECONDS.toNanos(1);
            tried(() -> client.progress(Duration.ZERO));
            tried(() -> server.process(Duration.ZERO));
            if (answer != null && (transfer == null || transfer.isDone())) {
                tried(() -> answer.complete(new Bytes(new byte[3])));
            }
        }

        /** Who makes progress, or answers, is told that there was no room, and goes on. */
        private static void tried(Runnable step) {
            try {
                step.run();
            } catch (HeapFull e) {
                return;
            }
        }

        private void call(Shipper client, PeerAddress address, Handle input, Runnable round) {
            ShippedCall<Bytes> call;
            CompletableFuture<Bytes> future;
            try {
                call =
                        client.function(scenario, Handle.CODEC, Bytes.CODEC, Bytes.class)
                                .withDeadline(Duration.ZERO)
                                .forward(address, input);
            } catch (HeapFull e) {
                return;
            }
            try {
                future = call.future();
            } catch (HeapFull e) {
                future = CompletableFuture.completedFuture(new Bytes(new byte[0]));
            }
            await("the call", call::isDone, round);
            await("its future", future::isDone, round);
        }

        private static void await(String what, BooleanSupplier fact, Runnable round) {
            for (int i = 0; i < ROUNDS && !fact.getAsBoolean(); i++) {
                round.run();
            }
            if (!fact.getAsBoolean()) {
                throw new AssertionError("in time: " + what);
            }
        }

        private boolean isIdle(ShipperServer server) {
            int kept = left;
            left = 0; // the list takes memory, too
            try {
                return server.underWay().isEmpty();
            } finally {
                left = kept;
            }
        }

        private static long count(Bmi bmi, String counter) {
            return bmi.counters().find(counter).get();
        }

        /** The first one may meet the end of a session. */
        private static void later(Shipper client, PeerAddress address, Runnable round) {
            RemoteFunction<Bytes, Bytes> function =
                    client.function("nothing", Bytes.CODEC, Bytes.CODEC, Bytes.class);
            for (int i = 0; i < 2; i++) {
                ShippedCall<Bytes> call = function.forward(address, new Bytes(new byte[1]));
                await("a later call", call::isDone, round);
                if (i == 1) {
                    call.await(Duration.ZERO);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pull", "output", "cancel"})
    void whicheverObjectHasNoRoomAllEnds(String scenario) throws Exception {
        ClassLoader loader = new AllocationLoader(CallsInFullHeapTest.class.getClassLoader());
        Constructor<?> made =
                loader.loadClass(Attempt.class.getName())
                        .getConstructor(String.class, int.class, Consumer.class);
        // What is made once in a life of the loader has been made then.
        assertThat(attempt(made, scenario, 0)).isEqualTo(DONE);
        Object end = FULL;
        int nth = 0;
        while (!end.equals(DONE) && nth < MANY) {
            end = attempt(made, scenario, ++nth);
            if (end instanceof Throwable unexpected) {
                throw new AssertionError("object " + nth, unexpected);
            }
        }
        System.out.println("CallsInFullHeapTest: " + scenario + ", " + (nth - 1) + " objects");
        assertThat(end).isEqualTo(DONE);
        assertThat(nth).as("objects of a call").isGreaterThan(20);
    }

    private static Object attempt(Constructor<?> made, String scenario, int nth) throws Exception {
        AtomicReference<Object> end = new AtomicReference<>("it said nothing");
        Consumer<Object> result = end::set;
        Thread thread = (Thread) made.newInstance(scenario, nth, result);
        thread.setContextClassLoader(made.getDeclaringClass().getClassLoader()); // for services
        thread.start();
        thread.join();
        return end.get();
    }
}

package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory that no message can use ends its own transfer, and not the session. */
@Timeout(60)
class UnusableMemoryTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int BYTES = 1 << 20;

    private static void fails(ShippedCall<?> call, ErrorCode code) {
        assertThatThrownBy(() -> call.await(SOON))
                .isInstanceOfSatisfying(
                        CallFailedException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    private static void noSessionEnds(Setup setup) {
        assertThat(count(setup.client, "shipper.client.brokenSessions")).isZero();
        assertThat(count(setup.server, "shipper.server.brokenSessions")).isZero();
        assertThat(count(setup.server, "shipper.server.sessions")).isEqualTo(1);
    }

    private static long count(Bmi bmi, String label) {
        return bmi.counters().find(label).get();
    }

    /** The memory of a number; confined memory is that of the thread that asks. */
    private static MemorySegment memory(long number, Arena confined) {
        return switch ((int) number) {
            case 0 -> confined.allocate(BYTES);
            case 1 -> closed();
            case 2 -> MemorySegment.ofArray(new float[BYTES / Float.BYTES]);
            case 3 -> MemorySegment.ofArray(new short[BYTES / Short.BYTES]).asReadOnly();
            default -> MemorySegment.ofArray(new byte[BYTES]).asReadOnly();
        };
    }

    private static MemorySegment closed() {
        try (Arena gone = Arena.ofShared()) {
            return gone.allocate(BYTES);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void memoryOfAHandlerThatNoMessageCanUseIsRefused(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client);
                BulkHandle data =
                        client.expose(
                                MemorySegment.ofArray(new byte[BYTES]), Permission.READ_WRITE)) {
            server.register("pull", Move.class, Number.class, call -> moved(call, false));
            server.register("push", Move.class, Number.class, call -> moved(call, true));
            server.start();
            RemoteFunction<Move, Number> pull = client.function("pull", Move.class, Number.class);
            RemoteFunction<Move, Number> push = client.function("push", Move.class, Number.class);
            for (int i = 0; i < 5; i++) {
                fails(pull.forward(setup.address(), new Move(data, i, 0)), ErrorCode.EINVAL);
            }
            for (int i = 0; i < 4; i++) {
                fails(push.forward(setup.address(), new Move(data, i, 0)), ErrorCode.EINVAL);
            }
            // What is read-only can be read.
            push.forward(setup.address(), new Move(data, 4, 0)).await(SOON);
            noSessionEnds(setup);
        }
    }

    private static Number moved(Call<Move, Number> call, boolean push) {
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment memory = memory(call.input().offset(), confined);
            if (push) {
                call.push(call.input().data(), 0, memory);
            } else {
                call.pull(call.input().data(), 0, memory);
            }
            return new Number(memory.byteSize());
        }
    }

    @Test
    void memoryThatNoMessageCanUseIsNotExposed() throws Exception {
        try (Setup setup = Setup.of("loopback");
                Shipper client = Shipper.on(setup.client);
                Arena confined = Arena.ofConfined()) {
            for (int i = 0; i < 4; i++) {
                MemorySegment memory = memory(i, confined);
                assertThatThrownBy(() -> client.expose(memory, Permission.READ))
                        .isInstanceOfSatisfying(
                                BmiException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.EINVAL));
            }
            client.expose(memory(4, confined), Permission.READ).close();
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void memoryThatTheClientHasFreedEndsTheTransferOnly(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register("pull", Move.class, Number.class, UnusableMemoryTest::pulled);
            server.register("push", Move.class, Number.class, UnusableMemoryTest::pushed);
            server.start();
            BulkHandle gone;
            try (Arena arena = Arena.ofShared()) {
                gone = client.expose(arena.allocate(BYTES), Permission.READ_WRITE);
            }
            try (BulkHandle data =
                    client.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.READ_WRITE)) {
                for (String name : List.of("pull", "push", "pull", "push")) {
                    RemoteFunction<Move, Number> function =
                            client.function(name, Move.class, Number.class);
                    fails(
                            function.forward(setup.address(), new Move(gone, 0, 0)),
                            ErrorCode.EFAULT);
                    assertThat(function.call(setup.address(), new Move(data, 0, 0), SOON))
                            .isEqualTo(new Number(BYTES));
                }
            }
            gone.close();
            noSessionEnds(setup);
        }
    }

    /** Of three chunks the middle one cannot be sent or received; the last one is shorter. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void noChunkOvertakesOneWhoseMemoryTheClientHasFreed(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server).knob("shipper.chunkBytes", "64k").server();
                Shipper client = Shipper.on(setup.client)) {
            server.register("pull", Move.class, Number.class, UnusableMemoryTest::pulled);
            server.register("push", Move.class, Number.class, UnusableMemoryTest::pushed);
            server.start();
            BulkHandle holed;
            try (Arena arena = Arena.ofShared()) {
                holed =
                        client.expose(
                                List.of(
                                        MemorySegment.ofArray(new byte[1 << 16]),
                                        arena.allocate(1 << 16),
                                        MemorySegment.ofArray(new byte[100])),
                                Permission.READ_WRITE);
            }
            for (String name : List.of("pull", "push", "pull", "push")) {
                fails(
                        client.function(name, Move.class, Number.class)
                                .forward(setup.address(), new Move(holed, 0, 0)),
                        ErrorCode.EFAULT);
            }
            holed.close();
            noSessionEnds(setup);
        }
    }

    /** Throws in one of the operations of an instance, as if the heap were full. */
    private static Bmi failing(Bmi bmi, String operation, AtomicInteger left) {
        return WatchedBmi.before(
                bmi,
                what -> {
                    if (what.equals(operation) && left.decrementAndGet() == 0) {
                        throw new OutOfMemoryError("As if the heap were full.");
                    }
                });
    }

    /** The ninth message is posted when the first one has gone. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aPullForWhoseReceivesThereIsNoMemoryEnds(String method) throws Exception {
        AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(failing(setup.server, "postReceive", left))
                                .knob("shipper.chunkBytes", "64k")
                                .server();
                Shipper client = Shipper.on(setup.client)) {
            pullsWithoutMemory(setup, server, client, left);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aPullForWhoseSendsThereIsNoMemoryEnds(String method) throws Exception {
        AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server).knob("shipper.chunkBytes", "64k").server();
                Shipper client = Shipper.on(failing(setup.client, "postSend", left))) {
            pullsWithoutMemory(setup, server, client, left);
        }
    }

    private static void pullsWithoutMemory(
            Setup setup, ShipperServer server, Shipper client, AtomicInteger left) {
        server.register(
                "pull",
                Move.class,
                Number.class,
                call -> {
                    left.set((int) call.input().length());
                    return pulled(call);
                });
        server.start();
        RemoteFunction<Move, Number> pull = client.function("pull", Move.class, Number.class);
        try (BulkHandle data =
                client.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.READ)) {
            for (int first : new int[] {9, 3, 9}) {
                fails(pull.forward(setup.address(), new Move(data, 0, first)), ErrorCode.ENOMEM);
                assertThat(pull.call(setup.address(), new Move(data, 0, 1_000), SOON))
                        .isEqualTo(new Number(BYTES));
            }
        }
        noSessionEnds(setup);
    }

    /** It is refused: the server has sent nothing yet. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aPushForWhoseReceivesThereIsNoMemoryIsRefused(String method) throws Exception {
        AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        Semaphore go = new Semaphore(0);
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server).knob("shipper.chunkBytes", "64k").server();
                Shipper client = Shipper.on(failing(setup.client, "postReceive", left));
                BulkHandle data =
                        client.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.WRITE)) {
            server.register(
                    "push",
                    Move.class,
                    Number.class,
                    call -> {
                        go.acquire();
                        return pushed(call);
                    });
            server.start();
            client.connect(setup.address(), SOON);
            RemoteFunction<Move, Number> push = client.function("push", Move.class, Number.class);
            ShippedCall<Number> refused = push.forward(setup.address(), new Move(data, 0, 0));
            left.set(3); // what the call itself needs is posted
            go.release();
            fails(refused, ErrorCode.ENOMEM);
            go.release();
            assertThat(push.call(setup.address(), new Move(data, 0, 0), SOON))
                    .isEqualTo(new Number(BYTES));
            noSessionEnds(setup);
        }
    }

    private static Number pulled(Call<Move, Number> call) {
        try (Lease lease = call.pull(call.input().data())) {
            return new Number(lease.segment().byteSize());
        }
    }

    private static Number pushed(Call<Move, Number> call) {
        try (Lease lease = call.lease(BYTES)) {
            call.push(call.input().data(), 0, lease.segment());
            return new Number(BYTES);
        }
    }

    /**
     * More transfers than there are channels: the last one is not posted before its memory goes.
     */
    @ParameterizedTest
    @FieldSource("METHODS")
    void memoryThatAHandlerHasFreedEndsTheTransferOnly(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = Shipper.builder(setup.server).withoutThreads().server();
                Shipper client = Shipper.builder(setup.client).withoutThreads().client();
                BulkHandle data =
                        client.expose(MemorySegment.ofArray(new byte[9_000]), Permission.READ)) {
            List<Transfer> transfers = new ArrayList<>();
            server.register(
                    "many",
                    Move.class,
                    Number.class,
                    call -> {
                        call.defer();
                        MemorySegment into = MemorySegment.ofArray(new byte[9_000]);
                        for (int i = 0; i < 64; i++) {
                            transfers.add(start(call, into));
                        }
                        try (Arena arena = Arena.ofShared()) {
                            transfers.add(start(call, arena.allocate(9_000)));
                        }
                        transfers.add(start(call, into));
                        return null;
                    });
            server.start();
            client.function("many", Move.class, Number.class)
                    .forward(setup.address(), new Move(data, 0, 0));
            Setup.until(
                    "all transfers are over",
                    () -> transfers.size() == 66 && transfers.stream().allMatch(Transfer::isDone),
                    () -> server.process(Duration.ZERO),
                    () -> client.progress(Duration.ZERO));
            assertThatThrownBy(() -> transfers.remove(64).await())
                    .isInstanceOfSatisfying(
                            BmiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EFAULT));
            transfers.forEach(Transfer::await);
            noSessionEnds(setup);
        }
    }

    private static Transfer start(Call<Move, Number> call, MemorySegment into) {
        return call.startPull(call.input().data(), 0, List.of(into), 0, 9_000);
    }
}

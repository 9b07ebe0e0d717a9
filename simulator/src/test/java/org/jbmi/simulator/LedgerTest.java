package org.jbmi.simulator;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.spi.OperationKind;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * The bytes behind a message belong to the program. Planted faults cannot show that the simulator
 * looks at them: they leave something out, and none of them writes a byte more.
 */
@Timeout(60)
class LedgerTest {
    private static final long SEED = 1;
    private static final int ROOM = 20;

    private final World world = new World(SEED, new Simulation(SEED).knobs(), null);
    private final SimPeer client = world.peers.getFirst();

    private SimOp opened(SimPeer owner, OperationKind kind, int... sizes) {
        List<MemorySegment> buffers =
                Arrays.stream(sizes)
                        .mapToObj(size -> Arena.ofAuto().allocate(Math.max(1, size)))
                        .toList();
        return world.ledger.open(owner, kind, null, 1, 0, buffers, false);
    }

    /** A receive that has got a message into its first buffer. */
    private SimOp received(int bytes) {
        SimOp send = opened(client, OperationKind.SEND, bytes);
        SimOp receive = opened(world.server, OperationKind.RECEIVE, bytes, ROOM);
        receive.buffers.getFirst().copyFrom(send.buffers.getFirst());
        world.ledger.report(send, 0, bytes);
        return receive;
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 16})
    void untouchedBytesBehindAMessageAreRight(int bytes) {
        SimOp receive = received(bytes);
        assertThatCode(() -> world.ledger.report(receive, 0, bytes)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 16})
    void anyByteBehindAMessageIsTooMany(int bytes) {
        for (int at = 0; at < ROOM; at++) {
            SimOp receive = received(bytes);
            receive.buffers.getLast().set(ValueLayout.JAVA_BYTE, at, (byte) 1);
            assertThatThrownBy(() -> world.ledger.report(receive, 0, bytes))
                    .hasMessageContaining("got more bytes than the " + bytes);
        }
    }
}

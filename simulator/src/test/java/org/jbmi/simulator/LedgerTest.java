package org.jbmi.simulator;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.jbmi.spi.OperationKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * Planted faults leave something out, and none of them writes a byte, cancels another operation or
 * counts a message that it drops. So they cannot show that the simulator sees such faults.
 */
@Timeout(60)
class LedgerTest {
    private static final long SEED = 1;
    private static final int ROOM = 20;

    private final World world = new World(SEED, new Simulation(SEED).knobs(), null);
    private final SimPeer client = world.peers.getFirst();

    private SimOp opened(SimPeer owner, OperationKind kind, int... sizes) {
        List<MemorySegment> buffers =
                Arrays.stream(sizes).mapToObj(size -> Arena.ofAuto().allocate(size)).toList();
        return world.ledger.open(owner, kind, null, 1, 0, buffers, false);
    }

    private SimOp unexpected(int bytes) {
        SimOp send = opened(client, OperationKind.SEND_UNEXPECTED, bytes);
        world.ledger.report(send, 0, bytes);
        return send;
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

    @ParameterizedTest
    @ValueSource(ints = {3, 16})
    void otherBytesAreNoMessage(int bytes) {
        SimOp receive = received(bytes);
        receive.buffers.getFirst().fill((byte) 0x77);
        assertThatThrownBy(() -> world.ledger.report(receive, 0, bytes))
                .hasMessageContaining("has bytes that nobody sent");
    }

    @ParameterizedTest
    @EnumSource(names = {"ECANCEL", "ETIMEDOUT", "EPIPE", "EPROTO", "EMSGSIZE", "ENOMEM", "EACCES"})
    void aFailureHasACause(ErrorCode code) {
        SimOp receive = opened(client, OperationKind.RECEIVE, ROOM);
        receive.isPending = true;
        assertThatThrownBy(() -> world.ledger.report(receive, code.negativeValue(), 0))
                .hasMessageContaining("nothing gave cause");
    }

    @Test
    void aCancelIsACauseOfItsCodeOnly() {
        int cancelled = ErrorCode.ECANCEL.negativeValue();
        SimOp receive = opened(client, OperationKind.RECEIVE, ROOM);
        receive.cancelCodes.add(cancelled);
        assertThatCode(() -> world.ledger.report(receive, cancelled, 0)).doesNotThrowAnyException();
        SimOp late = opened(client, OperationKind.RECEIVE, ROOM);
        late.isPending = true;
        late.cancelCodes.add(ErrorCode.ETIMEDOUT.negativeValue());
        assertThatThrownBy(() -> world.ledger.report(late, cancelled, 0))
                .hasMessageContaining("nothing gave cause");
    }

    @Test
    void aCountedDropIsALoss() {
        unexpected(ROOM);
        assertThatThrownBy(() -> world.ledger.checkNoneLost(1))
                .hasMessageContaining("its message is lost");
    }

    @Test
    void aServerThatClosesMayDropWhatItDidNotGet() {
        unexpected(ROOM);
        world.ledger.serverClosed();
        assertThatCode(() -> world.ledger.checkNoneLost(1)).doesNotThrowAnyException();
        assertThatThrownBy(() -> world.ledger.checkNoneLost(2))
                .hasMessageContaining("1 are lost and 2 were dropped");
    }

    @Test
    void aMessageWithoutBytesCountsToo() {
        unexpected(0);
        assertThatThrownBy(() -> world.ledger.checkNoneLost(0))
                .hasMessageContaining("1 are lost and 0 were dropped");
    }
}

package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.engine.port.EngineCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an engine counts. */
@Timeout(30)
class CountingTest extends EngineFixture {

    @Test
    void messagesTowardTheServer() {
        postReceive(70, A, 5, 100);
        send(A, 1, 5, 40);
        move(output.lastGrant());
        postReceive(71, A, 5, 100);
        sendEager(A, 2, 5, 10, 0, 99);
        assertThat(count(EngineCounter.POSTS)).isEqualTo(2);
        assertThat(count(EngineCounter.CALLS_SEND)).isEqualTo(2);
        assertThat(count(EngineCounter.GRANTS)).isEqualTo(1);
        assertThat(count(EngineCounter.EAGER_MOVES)).isEqualTo(1);
        assertThat(count(EngineCounter.MESSAGES_SENT)).isEqualTo(2);
        assertThat(count(EngineCounter.BYTES_SENT)).isEqualTo(50);
        assertThat(count(EngineCounter.MESSAGES_RECEIVED)).isZero();
        assertThat(count(EngineCounter.POSTS_IMMEDIATE)).isZero();
    }

    @Test
    void messagesTowardAClient() {
        postSend(70, A, 5, 30);
        receive(A, 1, 5, 50);
        move(output.lastGrant());
        assertThat(count(EngineCounter.CALLS_RECEIVE)).isEqualTo(1);
        assertThat(count(EngineCounter.MESSAGES_RECEIVED)).isEqualTo(1);
        assertThat(count(EngineCounter.BYTES_RECEIVED)).isEqualTo(30);
        assertThat(count(EngineCounter.MESSAGES_SENT)).isZero();
    }

    @Test
    void unexpectedMessagesAndTheirNumbers() {
        unexpectedInline(A, 1, 5, 99);
        unexpectedEager(B, 2, 6, 100, 0, 98);
        assertThat(count(EngineCounter.CALLS_SEND)).isEqualTo(2);
        assertThat(count(EngineCounter.EAGER_MOVES)).isEqualTo(2);
        assertThat(count(EngineCounter.UNEXPECTED_ACCEPTED)).isEqualTo(2);
        assertThat(count(EngineCounter.UNEXPECTED_BYTES)).isEqualTo(108);
        assertThat(output.arrived).extracting(RecordingOutput.Arrived::id).containsExactly(1L, 2L);
    }

    @Test
    void postsThatWereOverAtOnce() {
        send(A, 1, 5, 10);
        test(A, 60_000);
        postReceive(70, A, 5, 10);
        move(output.lastGrant());
        assertThat(count(EngineCounter.POSTS_IMMEDIATE)).isEqualTo(1);
        assertThat(count(EngineCounter.CALLS_TEST)).isEqualTo(1);
    }

    @Test
    void whatAWaitHadPushedIsCountedFromItsBeginning() {
        long first = test(A, 100);
        unexpectedInline(A, 1, 5, 99);
        unexpectedInline(A, 2, 5, 99);
        output.take();
        long second = test(A, 100);
        said("c1 tested " + first + ": 2");
        nowNs += 100 * MS;
        engine.tick(nowNs);
        said("c1 tested " + second + ": 0");
    }

    @Test
    void messagesThatTheirOwnerTookBackOnTheWay() {
        long sequence = sendEager(A, 1, 5, 10, 0, 99);
        payload.withdraw(A, 0, sequence);
        postReceive(70, A, 5, 100);
        assertThat(count(EngineCounter.WITHDRAWN)).isEqualTo(1);
        assertThat(count(EngineCounter.EAGER_MOVES)).isZero();
        assertThat(engine.pendingOperations()).isEqualTo(1);
    }

    @Test
    void whatIsHeldAtThisMoment() {
        postReceive(70, A, 5, 100);
        receive(B, 1, 9, 50);
        unexpectedInline(A, 1, 5, 99);
        assertThat(count(EngineCounter.PENDING)).isEqualTo(2);
        assertThat(count(EngineCounter.POOL_HELD)).isEqualTo(100);
        assertThat(count(EngineCounter.UNEXPECTED_HELD)).isEqualTo(8);

        engine.unexpectedFree(output.arrived.getLast().offset());
        send(A, 2, 5, 40);
        move(output.lastGrant());
        assertThat(count(EngineCounter.PENDING)).isEqualTo(1);
        assertThat(count(EngineCounter.POOL_HELD)).isZero();
        assertThat(count(EngineCounter.UNEXPECTED_HELD)).isZero();
    }

    @Test
    void everyCounterHasANameOfItsOwnAndAUnit() {
        assertThat(EngineCounter.values())
                .extracting(EngineCounter::label)
                .doesNotHaveDuplicates()
                .allMatch(label -> label.contains(".") || label.equals("grants"));
        assertThat(EngineCounter.values())
                .extracting(EngineCounter::unit)
                .allMatch(unit -> unit.endsWith("s"));
    }
}

package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.util.List;
import java.util.Objects;

/**
 * Steps that throw, after which the call is answered or its client let go; messages of which the
 * server hears late, after those that follow them; calls that get no memory; and the places of
 * appends.
 */
@Timeout(60)
class DataFlowTest extends FlowBench {
    /** The last region overlaps the second one, and the two are in different messages. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void theLastOfOverlappingRegionsWinsAlsoIfAMessageIsLate(int index) throws IOException {
        lateIndex = index;
        write(LongList.of(200, 10, 500, 0), LongList.of(40, 30, 0, 30));
        play();
        tellLate(ErrorCode.SUCCESS);
        play();
        assertThat(replies).containsExactly(Status.OK);
        assertThat(over).isEqualTo(1);
        assertThat(inFile(200, 240)).isEqualTo(bytes(40, 1));
        assertThat(inFile(0, 30)).isEqualTo(bytes(30, 71));
        assertThat(inFile(30, 40)).isEqualTo(bytes(10, 61));
    }

    @Test
    void aLateMessageDelaysNoOtherIfNoRegionsOverlap() throws IOException {
        lateIndex = 1;
        write(LongList.of(200, 30, 500, 0), LongList.of(40, 30, 0, 30));
        play();
        assertThat(inFile(0, 30)).isEqualTo(bytes(30, 71));
        assertThat(inFile(30, 56)).containsOnly(0);
        tellLate(ErrorCode.SUCCESS);
        play();
        assertThat(replies).containsExactly(Status.OK);
        assertThat(inFile(30, 60)).isEqualTo(bytes(30, 41));
    }

    /** The message behind it waits for it, and must give its memory back. */
    @ParameterizedTest
    @EnumSource(names = {"EMSGSIZE", "EPROTO", "ECANCEL", "ETIMEDOUT", "ENOMEM"})
    void aLateMessageThatFailsEndsTheWrite(ErrorCode outcome) throws IOException {
        lateIndex = 1;
        write(LongList.of(200, 10, 500, 0), LongList.of(40, 30, 0, 30));
        play();
        tellLate(outcome);
        play();
        boolean isAnswered = outcome == ErrorCode.EMSGSIZE || outcome == ErrorCode.EPROTO;
        assertThat(replies).isEqualTo(isAnswered ? List.of(Status.INVAL) : List.of());
        assertThat(abandoned).isEqualTo(isAnswered ? 0 : 1);
        assertThat(over).isEqualTo(1);
        assertThat(inFile(0, 30)).containsOnly(0);
        // Else it would wait for the answer.
        boolean isGone = outcome == ErrorCode.ETIMEDOUT || outcome == ErrorCode.ENOMEM;
        assertThat(server.findPeer(peer.id()) == null).isEqualTo(isGone);
    }

    @Test
    void aReadThatCannotBeStartedOnceSendsItsDataAndIsAnswered() {
        failures = 1;
        flow.arrived(call(Operation.READ, Transfer.of(0, 30, 10)));
        flow.arrived(call(Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        assertThat(play())
                .containsExactly(
                        Outbound.Kind.SEND,
                        Outbound.Kind.SEND,
                        Outbound.Kind.SEND,
                        Outbound.Kind.SEND);
        assertThat(replies).containsExactlyInAnyOrder(Status.STALE, Status.STALE);
        assertThat(over).isEqualTo(2);
    }

    @Test
    void aReadThatCannotBeStartedAtAllLosesItsClientAndNothingElse() {
        failures = 2;
        flow.arrived(call(Operation.READ, Transfer.of(0, 30, 10)));
        flow.admit();
        assertThat(play()).isEmpty();
        assertThat(abandoned).isEqualTo(1);
        assertThat(over).isEqualTo(1);
        assertThat(server.findPeer(peer.id())).isNull();
    }

    /** Its data is under way for as long as the test lasts, in memory of the pool. */
    private void startOneThatLasts() {
        lateIndex = 0;
        flow.arrived(call(Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        play();
        lateIndex = NONE_IS_LATE;
    }

    @Test
    void aCallOfAClientThatHasGoneEndsThoughAnotherHoldsMemory() {
        startOneThatLasts();
        peer.drop();
        flow.arrived(call(Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        assertThat(play()).isEmpty();
        assertThat(abandoned).isEqualTo(1);
        assertThat(over).isEqualTo(1);
    }

    @Test
    void aCallThatWaitsForMemoryEndsWhenItsClientGoes() {
        startOneThatLasts();
        flow.arrived(call(withoutRoom(), Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        assertThat(play()).isEmpty();
        assertThat(over).isZero();
        peer.drop();
        flow.admit();
        assertThat(abandoned).isEqualTo(1);
        assertThat(over).isEqualTo(1);
    }

    @Test
    void aWriteThatMustFailIsNotAnsweredEarly() throws IOException {
        write(file(), Transfer.of(Long.MAX_VALUE, 10, 0), Hints.of(Hints.WRITE_BEHIND, "1"));
        play();
        assertThat(replies).containsExactly(Status.FBIG);
    }

    /** The same client, whose references cannot be counted. */
    private PeerAddress withoutReferences() {
        return (PeerAddress)
                Proxy.newProxyInstance(
                        PeerAddress.class.getClassLoader(),
                        new Class<?>[] {PeerAddress.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("retain")) {
                                throw new IllegalStateException("planted by the test");
                            }
                            return method.invoke(peer, arguments);
                        });
    }

    /** The client was told that all is well, and a commit may not know better. */
    @Test
    void aWriteThatWasAnsweredEarlyLosesItsClientIfItsErrorCannotBeKept() throws IOException {
        Hints early = Hints.of(Hints.WRITE_BEHIND, "1");
        Call call = new Call(withoutReferences(), TAG, System.nanoTime());
        call.decoded(Request.moving(Operation.WRITE, file(), Transfer.of(FAR, 10, 0), early));
        flow.arrived(call);
        flow.admit();
        play();
        assertThat(replies).containsExactly(Status.OK);
        assertThat(over).isEqualTo(1);
        assertThat(server.findPeer(peer.id())).isNull();
    }

    /** The same client while memory lacks: it can be neither counted nor disconnected. */
    private PeerAddress withoutMemory() {
        return (PeerAddress)
                Proxy.newProxyInstance(
                        PeerAddress.class.getClassLoader(),
                        new Class<?>[] {PeerAddress.class},
                        (proxy, method, arguments) -> {
                            if (List.of("retain", "drop").contains(method.getName())) {
                                throw new OutOfMemoryError("planted by the test");
                            }
                            return method.invoke(peer, arguments);
                        });
    }

    @Test
    void anErrorOfAWriteThatWasAnsweredEarlyIsKeptThoughThereIsNoMemory() throws IOException {
        FileHandle file = file();
        Call call = new Call(withoutMemory(), TAG, System.nanoTime());
        Hints early = Hints.of(Hints.WRITE_BEHIND, "1");
        call.decoded(Request.moving(Operation.WRITE, file, Transfer.of(FAR, 10, 0), early));
        flow.arrived(call);
        flow.admit();
        play();
        assertThat(replies).containsExactly(Status.OK);
        assertThat(over).isEqualTo(1);
        FileQueue queue = queues.of(file);
        assertThat(queues.takeError(queue)).isEqualTo(Status.FBIG);
        assertThat(queues.takeError(queue)).isEqualTo(Status.OK);
        queues.settle(queue);
        assertThat(queues.find(file)).isNull();
    }

    @Test
    void aCallThatWaitsForItsTurnEndsWhenItsClientGoes() {
        lateIndex = 0;
        long all = Limits.DEFAULT.memoryBytes(); // all is free
        flow.arrived(call(Operation.READ, Transfer.of(0, all, all / 2)));
        flow.arrived(call(Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        assertThat(over).isZero();
        peer.drop();
        flow.admit();
        assertThat(abandoned).isEqualTo(1);
        assertThat(over).isEqualTo(1);
    }

    @Test
    void newerCallsPassOneThatFindsNoRoomInThePoolALimitedNumberOfTimes() {
        startOneThatLasts();
        flow.arrived(call(withoutRoom(), Operation.READ, Transfer.of(0, 10, 0)));
        flow.admit();
        for (int passes = 1; passes <= PayloadMemory.MAX_PASSES; passes++) {
            flow.arrived(call(Operation.READ, Transfer.of(0, 10, 0)));
            flow.admit();
            play();
            assertThat(over).isEqualTo(passes);
        }
        flow.admit();
        assertThat(play()).containsExactly(Outbound.Kind.SEND);
        assertThat(over).isEqualTo(PayloadMemory.MAX_PASSES + 1);
    }

    /** The server has perhaps answered the write before the append has its place. */
    @Test
    void anAppendComesBehindAWriteThatWaitsForTheLookAtTheEnd() throws IOException {
        FileHandle file = file();
        write(file, Transfer.of(0, 1, 0), Hints.NONE);
        arrive();
        assertThat(tasks).hasSize(1);
        write(file, Transfer.of(0, 10, 0), APPEND);
        write(file, Transfer.of(1, 33, 0), Hints.NONE);
        arrive();
        play();
        assertThat(replies).containsExactly(Status.OK, Status.OK, Status.OK);
        assertThat(appended).containsExactly("34");
        assertThat(inFile(1, 34)).isEqualTo(bytes(33, 1));
        assertThat(inFile(34, 44)).isEqualTo(bytes(10, 1));
    }

    @Test
    void anAppendOfNothingLeavesTheNextOneItsPlace() throws IOException {
        FileHandle file = file();
        write(file, Transfer.of(0, 1, 0), Hints.NONE);
        arrive();
        LongList nothing = LongList.of(0);
        write(file, new Transfer(nothing, nothing, nothing, MESSAGE_BYTES), APPEND);
        write(file, Transfer.of(0, 10, 0), APPEND);
        play();
        assertThat(replies).containsExactly(Status.OK, Status.OK, Status.OK);
        assertThat(appended).containsExactly("1", "1");
        assertThat(inFile(1, 11)).isEqualTo(bytes(10, 1));
    }

    /** One append is under way all the time, so the server does not forget where the end is. */
    @Test
    void aWriteThatFailsFarAwayDoesNotMoveTheEnd() throws IOException {
        FileHandle file = file();
        lateIndex = 1;
        write(file, Transfer.of(0, 66, MESSAGE_BYTES), APPEND);
        play();
        write(file, Transfer.of(FAR, 10, 0), Hints.NONE);
        arrive();
        // This one comes behind the write and fails with it, but is not over.
        write(file, Transfer.of(0, 66, MESSAGE_BYTES), APPEND);
        play();
        assertThat(replies).containsExactly(Status.FBIG);
        write(file, Transfer.of(0, 10, 0), APPEND);
        play();
        assertThat(replies).containsExactly(Status.FBIG, Status.OK);
        assertThat(appended).containsExactly("66");
        assertThat(inFile(66, 76)).isEqualTo(bytes(10, 1));
    }

    /** Its place is free again, though another append is under way all the time. */
    @Test
    void anAppendWhoseClientGoesLeavesNoRoomInTheFile() throws IOException {
        FileHandle file = file();
        lateIndex = 1;
        write(file, Transfer.of(0, 66, MESSAGE_BYTES), APPEND);
        play();
        DataMove first = Objects.requireNonNull(late);
        write(file, Transfer.of(0, 50_000, 0), APPEND);
        lateIndex = 0;
        play();
        DataMove second = Objects.requireNonNull(late);
        assertThat(second).isNotSameAs(first);
        lateIndex = NONE_IS_LATE;
        flow.moved(second, ErrorCode.ECANCEL, 0);
        play();
        write(file, Transfer.of(0, 10, 0), APPEND);
        play();
        assertThat(appended).containsExactly("66");
        flow.moved(first, ErrorCode.SUCCESS, first.message.byteSize());
        play();
        assertThat(appended).containsExactly("66", "0");
        assertThat(Files.size(folder.resolve("f"))).isEqualTo(76);
    }
}

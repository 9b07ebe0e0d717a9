package org.jbmi.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A program sends from a mapped file, and somebody shortens the file. */
@Timeout(60)
class LostFileTest {
    private static final int MAPPED_BYTES = 8192;
    private static final int TAG = 3;

    @TempDir Path directory;

    private final LoopbackHub hub = new LoopbackHub();
    private final Completions done = Completions.ofCapacity(1);
    private Arena arena;
    private FileChannel file;
    private MemorySegment mapped;
    private Bmi a;
    private Bmi b;
    private CompletionContext ofA;
    private PeerAddress toB;

    @BeforeEach
    void open() throws IOException {
        arena = Arena.ofShared();
        file =
                FileChannel.open(
                        directory.resolve("mapped"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, MAPPED_BYTES, arena);
        a = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://a").open();
        b = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://b").open();
        ofA = a.openContext();
        toB = a.lookup("loopback://b");
    }

    @AfterEach
    void close() throws IOException {
        a.close();
        b.close();
        arena.close();
        file.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1024, MAPPED_BYTES})
    void aWaitingReceiveEndsWithTheSend(long sizeBytes) throws IOException {
        CompletionContext ofB = b.openContext();
        MemorySegment room = arena.allocate(sizeBytes);
        long receive = ofB.postReceive(b.lookup("loopback://a"), room, TAG);
        file.truncate(0);

        long send = ofA.postSend(toB, mapped.asSlice(0, sizeBytes), TAG);
        assertThat(send).isEqualTo(ErrorCode.EFAULT.negativeValue());
        assertThat(ofB.test(receive, done, 10_000)).isOne();
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.EFAULT);
    }

    @Test
    void anUnexpectedMessageThatIsLostHoldsNoOtherUp() throws IOException {
        MemorySegment whole = arena.allocate(MAPPED_BYTES);
        while (PostResult.isCompleted(ofA.postSendUnexpected(toB, whole, TAG))) {
            Thread.onSpinWait();
        }
        long lost = ofA.postSendUnexpected(toB, mapped, TAG);
        file.truncate(0);

        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        while (b.testUnexpected(one, 0) == 1) {
            one.free(0);
        }
        assertThat(ofA.test(lost, done, 10_000)).isOne();
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.EFAULT);
        assertThat(b.counters().find("loopback.unexpectedHeldBytes").get()).isZero();
        assertThat(ofA.postSendUnexpected(toB, whole, TAG)).isEqualTo(MAPPED_BYTES);
    }
}

package org.jbmi.zbmi.channel.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.MessageSink;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.nio.file.Path;

/** One direction of a channel whose files fail. */
@Timeout(60)
class ChronicleFailuresTest {
    private static final long SENT = 0;
    private static final long CONSUMED = 128;
    private static final long WANTED = 256;

    private final SharedMemory memory = new SegmentMemory(Arena.ofAuto().allocate(512, 128));
    private final PlayedFiles files = new PlayedFiles();
    private final ChronicleDirection direction =
            new ChronicleDirection(
                    new QueueSettings(files, 8, 16), Path.of("/queue"), memory, SENT, CONSUMED);
    private final ChronicleSource source = new ChronicleSource(direction, WANTED);
    private final ChronicleSink sink = new ChronicleSink(direction);
    private final Message message = new Message();

    @BeforeEach
    void open() throws Exception {
        source.open(false);
        sink.open();
    }

    private int send(long number) {
        return sink.offer(ServerRequests.cancel(message, number, 2, 3));
    }

    // The library has not ended the record and takes the next one for a record inside of it.
    @Test
    void whatCouldNotBeWrittenOnceIsNotWrittenOn() {
        assertThat(send(1)).isEqualTo(MessageSink.SENT);
        files.beforeRecord = PlayedFiles.FULL;
        assertThat(send(2)).isEqualTo(MessageSink.BROKEN);
        files.beforeRecord =
                () -> {
                    throw new AssertionError("a header inside a header");
                };
        assertThat(send(3)).isEqualTo(MessageSink.BROKEN);
        assertThat(sink.room()).isEqualTo(MessageSink.BROKEN);
        files.beforeRecord = () -> {};
        assertThat(send(4)).isEqualTo(MessageSink.BROKEN);
        assertThat(memory.getLongAcquire(SENT)).isEqualTo(1);
    }

    @Test
    void anAssertionOfTheLibraryIsAFailure() {
        files.beforeRecord =
                () -> {
                    throw new AssertionError("what cannot be");
                };
        assertThat(send(1)).isEqualTo(MessageSink.BROKEN);
        memory.setLongVolatile(SENT, 1);
        assertThat(source.poll(message)).isEqualTo(MessageSource.BROKEN);
    }

    /** Nobody knows how much of the record is there, or is left to be read. */
    @Test
    void afterAnErrorInARecordNoOtherFollows() {
        send(1);
        send(2);
        files.beforeRecord =
                () -> {
                    throw new OutOfMemoryError("played");
                };
        assertThatThrownBy(() -> source.poll(message)).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> send(3)).isInstanceOf(OutOfMemoryError.class);
        files.beforeRecord = () -> {};
        assertThat(source.poll(message)).isEqualTo(MessageSource.BROKEN);
        assertThat(send(4)).isEqualTo(MessageSink.BROKEN);
    }

    /** A failure that cannot be told, as in a full heap: the log asks for its text. */
    private static final class Untold extends AssertionError {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            throw new OutOfMemoryError("played");
        }
    }

    @Test
    void afterAFailureThatCannotBeLoggedNoOtherRecordFollows() {
        send(1);
        send(2);
        files.beforeRecord =
                () -> {
                    throw new Untold();
                };
        assertThatThrownBy(() -> source.poll(message)).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> send(3)).isInstanceOf(OutOfMemoryError.class);
        files.beforeRecord = () -> {};
        assertThat(source.poll(message)).isEqualTo(MessageSource.BROKEN);
        assertThat(send(4)).isEqualTo(MessageSink.BROKEN);
    }

    @Test
    void noMessageIsTakenForOneThatCouldNotBeRead() {
        send(1);
        send(2);
        files.beforeRecord = PlayedFiles.FULL;
        assertThat(source.poll(message)).isEqualTo(MessageSource.BROKEN);
        files.beforeRecord = () -> {};
        assertThat(source.poll(message)).isEqualTo(MessageSource.BROKEN);
    }
}

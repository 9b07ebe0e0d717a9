package org.jbmi.zbmi.channel.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Set;

/** The engine's end of a channel: its opening in a thread of its own, and its end. */
@Timeout(60)
class ChroniclePortTest {
    private static final SegmentGeometry GEOMETRY =
            new SegmentGeometry(2, 16, 16, 3, 128, 4096, 4096);

    private final SegmentMap map = new SegmentMap(GEOMETRY);
    private final SharedMemory memory =
            new SegmentMemory(Arena.ofAuto().allocate(map.segmentBytes(), 4096));
    private final PlayedFiles files = new PlayedFiles();
    private final Woken woken = new Woken();
    private final SessionArea area = map.session(0);
    private final ChannelState state = new ChannelState(memory, area);
    private final Message message = new Message();

    private static final class Woken implements Waiting {
        private int count;

        @Override
        public boolean await(SharedMemory of, long offset, int expected, long timeoutNs) {
            throw new AssertionError("nobody sleeps here");
        }

        @Override
        public void wakeAll(SharedMemory of, long offset) {
            count++;
        }
    }

    private ChroniclePort port() {
        Welcome welcome =
                new Welcome(
                        0,
                        7,
                        HostKind.DAEMON,
                        1,
                        1,
                        "/there/segment",
                        1,
                        GEOMETRY,
                        new SessionLimits(4096, 4096, 128, 16, 30));
        return ChroniclePort.open(
                new EngineSegment(memory, map, woken),
                welcome,
                100,
                new QueueSettings(files, 8, 16),
                false);
    }

    @Test
    void whoWaitsForTheOpeningIsWoken() {
        ChroniclePort port = port();
        assertThat(state.isDecided()).isFalse();
        files.runBegun();
        assertThat(state.isOpen()).isTrue();
        assertThat(woken.count).isPositive();
        port.close();
        assertThat(files.open).isZero();
        assertThat(files.paths).isEmpty();
    }

    @Test
    void whatIsSaidBeforeTheQueuesAreOpenWaits() {
        ChroniclePort port = port();
        assertThat(port.send(ServerEvents.answered(message, ServerEvents.CANCEL_REPLY, 1, 2, 3)))
                .isTrue();
        assertThat(files.records).isEmpty();
        assertThat(memory.getLongVolatile(map.doorbellOffset(0))).isZero();
        files.runBegun();
        assertThat(memory.getLongVolatile(map.doorbellOffset(0))).isEqualTo(1); // look here
        assertThat(port.flush()).isEqualTo(1);
        assertThat(files.records).hasSize(1);
        port.close();
    }

    // The host then refuses this peer; an error would end the engine, and with it all sessions.
    @Test
    void aPortWithoutAThreadIsRefused() {
        files.beforeBegin =
                () -> {
                    throw new OutOfMemoryError("unable to create native thread");
                };
        BmiException refusal = catchThrowableOfType(BmiException.class, this::port);
        assertThat(refusal.code()).isEqualTo(ErrorCode.ENOMEM);
        assertThat(files.paths).isEmpty();
    }

    // Else the engine would try again and again, and never sleep.
    @Test
    void aMessageThatCannotBeWrittenEndsTheSession() {
        ChroniclePort port = port();
        files.runBegun();
        files.beforeRecord = PlayedFiles.FULL;
        assertThat(port.send(ServerEvents.answered(message, ServerEvents.CANCEL_REPLY, 1, 2, 3)))
                .isTrue();
        assertThat(port.poll(message)).isEqualTo(LanePort.BROKEN);
        assertThat(port.brokenReason()).isNotNull();
        port.close();
    }

    // A full file system: the library maps what it has made, and a store there is an error.
    @Test
    void anOpeningThatFailsWithAnErrorIsSaidToHaveFailed() {
        ChroniclePort port = port();
        files.beforeOpening = PlayedFiles.FULL;
        files.runBegun();
        assertThat(state.isDecided()).isTrue();
        assertThat(state.isOpen()).isFalse();
        assertThat(port.poll(message)).isEqualTo(LanePort.BROKEN);
        assertThat(port.brokenReason())
                .as("it goes into a log that keeps each text, and the error may name a path")
                .isEqualTo("its queues cannot be opened; the host's log says why");
        port.close();
        assertThat(files.paths).isEmpty();
    }

    @Test
    void anOpeningThatIsBrokenOffByAnyErrorIsSaidToHaveFailed() {
        ChroniclePort port = port();
        files.beforeOpening =
                () -> {
                    throw new OutOfMemoryError("played");
                };
        assertThatThrownBy(files::runBegun).isInstanceOf(OutOfMemoryError.class);
        assertThat(state.isDecided()).isTrue();
        assertThat(port.poll(message)).isEqualTo(LanePort.BROKEN);
        assertThat(port.brokenReason()).contains("broken off");
        port.close();
        assertThat(files.paths).isEmpty();
    }

    @Test
    void anOpeningThatOutlastsItsSessionClearsUpAndTouchesNoSegment() {
        ChroniclePort port = port();
        port.close();
        assertThat(files.awaited).as("the engine waits for the disk").isZero();
        memory.zero(area.offset(), area.bytes()); // another session's now
        files.runBegun();
        assertThat(files.open).isZero();
        assertThat(files.paths).isEmpty();
        assertThat(state.isDecided()).isFalse();
        assertThat(woken.count).isZero();
    }

    /** The process may end meanwhile, though in an orderly way. */
    @Test
    void whatAnOpeningThatDoesNotEndLeavesIsRemovedByAnotherHost() {
        Path directory = Path.of("/there");
        Path segment = directory.resolve("segment");
        Set<Path> others =
                Set.of(
                        directory.resolve("chronicle-segment-9"),
                        directory.resolve("chronicle-segment-9/kept"),
                        directory.resolve("chronicle-other-9"),
                        directory.resolve("chronicle-segment"));
        ChroniclePort port = port();
        files.beforeOpening =
                () -> {
                    files.paths.addAll(others);
                    files.paths.add(segment);
                    port.closeAtEnd();
                    ChannelFolder.sweep(files, directory, "segment");
                    assertThat(files.paths).contains(directory.resolve("chronicle-segment-7"));
                    files.paths.remove(segment);
                    ChannelFolder.sweep(files, directory, "segment");
                    assertThat(files.paths).isEqualTo(others);
                };
        files.runBegun();
        assertThat(files.paths).isEqualTo(others);
    }

    @Test
    void theEndOfTheHostWaitsForTheOpening() {
        ChroniclePort port = port();
        port.closeAtEnd();
        assertThat(files.awaited).isEqualTo(1);
        files.runBegun();
        assertThat(files.paths).isEmpty();
    }

    @Test
    void aCloseInTheMiddleOfTheOpeningIsAsGood() {
        ChroniclePort port = port();
        files.beforeOpening = port::close;
        files.runBegun();
        assertThat(files.open).isZero();
        assertThat(files.paths).isEmpty();
        assertThat(state.isDecided()).isFalse();
    }

    @Test
    void anEndThatCannotBeClosedDoesNotKeepTheRest() {
        ChroniclePort port = port();
        files.runBegun();
        files.beforeClose = PlayedFiles.FULL;
        port.close();
        assertThat(files.open).isZero();
        assertThat(files.paths).isEmpty();
    }

    @Test
    void aServerRemovesWhatTheLibraryHasMadeAgain() throws Exception {
        ChroniclePort port = port();
        files.runBegun();
        ChannelFolder folder = new ChannelFolder(files, files.paths.iterator().next());
        folder.leave();
        assertThat(files.paths).contains(folder.path());
        port.close();
        assertThat(files.paths).isEmpty();
        files.writer(folder.commands(), () -> 1).close();
        assertThat(files.paths).isNotEmpty();
        folder.leave();
        assertThat(files.paths).isEmpty();
    }
}

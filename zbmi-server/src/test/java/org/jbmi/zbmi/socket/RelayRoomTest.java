package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** What a relay has to say to the engine waits for room in the lane, and is said then. */
@Timeout(60)
class RelayRoomTest {
    private static final int OTHER_TAG = 1000;
    private static final int BUFFER_BYTES = 300_000;
    private static final int LONGER_THAN_THE_STREAM_HOLDS = 150_000;
    private static final int FIRST_CLAIM = 1;
    private static final int MORE_THAN_A_LANE_HOLDS = 40;
    private static final long OTHERS = 1000L << Integer.SIZE;
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();

    @TempDir private Path directory;

    private final FrameWriter frames = new FrameWriter();
    private LinkWorld world;

    /**
     * The client gives up what it receives in the middle of a piece, and posts more than the lane
     * holds while the rest of that piece is under way: so the transfer ends before a full lane.
     */
    @Test
    void theEndOfATransferBeforeAFullLaneIsSaidWhenThereIsRoom() throws IOException {
        Random random = new Random(1);
        RemoteClientSim client = new RemoteClientSim(random);
        try (LinkWorld open = new LinkWorld(directory, random, client)) {
            world = open;
            client.use(open.link);
            DirectServerSim server = new DirectServerSim(open, random);
            DirectServerSim.Post send = postLong(server);
            RemoteOperation receive =
                    client.post(
                            OperationKind.RECEIVE, 1, send.tag, List.of(new byte[BUFFER_BYTES]));
            client.beIn();
            for (int i = 0; receive.state != RemoteOperation.State.MOVING; i++) {
                assertThat(i).as("turns until it is offered").isLessThan(10_000);
                open.pumpEngine(10);
                open.pumpRelay();
                open.pumpLink();
            }
            pumpRelayUntilIdle(); // until the stream is full of a piece
            frames.note(LinkFrame.END, receive.reference, FIRST_CLAIM, CANCELLED);
            postOthers(receive.reference);
            while (frames.hasPending()) {
                frames.write(open.toGateway);
                open.pumpRelay();
            }
            readAllThatComes();
            server.takeEvents();
            assertThat(send.isOver).as("while the engine reads nothing").isFalse();
            while (open.pumpEngine(10)) {
                readAllThatComes();
            }
            server.takeEvents();
            assertThat(send.reports).isEqualTo(1);
            assertThat(send.outcome).isEqualTo(CANCELLED);
        }
    }

    // It posts messages of any size, each under a tag of its own.
    private static DirectServerSim.Post postLong(DirectServerSim server) {
        DirectServerSim.Post last;
        int number = 0;
        do {
            server.post(true, ++number, number);
            last = server.all.get(number - 1);
        } while (last.bytes < LONGER_THAN_THE_STREAM_HOLDS);
        return last;
    }

    private void postOthers(long used) {
        Message message = new Message();
        for (int i = 0; i < MORE_THAN_A_LANE_HOLDS; i++) {
            if (i != (int) used) {
                ClientRequests.receive(
                        message, 1 + i, OTHERS | i, OTHER_TAG, 0, 0, ClientRequests.NO_DATA_ROOM);
                frames.message(message, MemorySegment.ofArray(new byte[0]), 0, 0);
            }
        }
    }

    private void pumpRelayUntilIdle() throws IOException {
        int idle = 0;
        while (idle < 20) {
            idle = world.pumpRelay() ? 0 : idle + 1;
        }
    }

    private void readAllThatComes() throws IOException {
        ByteBuffer sink = ByteBuffer.allocate(BUFFER_BYTES);
        int idle = 0;
        while (idle < 20) {
            long count = world.toClient.read(sink.clear());
            idle = world.pumpRelay() || count > 0 ? 0 : idle + 1;
        }
    }
}

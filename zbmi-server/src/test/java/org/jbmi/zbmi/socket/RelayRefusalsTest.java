package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Random;

/** A remote client cannot have what only shared memory gives. */
@Timeout(60)
class RelayRefusalsTest {
    private static final int RECEIVES = 40;
    private static final long GENERATION = 1L << Integer.SIZE;

    @TempDir private Path directory;

    private final Random random = new Random(1);
    private final RemoteClientSim client = new RemoteClientSim(random);
    private final FrameWriter frames = new FrameWriter();
    private final Message message = new Message();

    private void send(LinkWorld world) throws IOException {
        frames.message(message, MemorySegment.ofArray(new byte[0]), 0, 0);
        while (frames.hasPending()) {
            frames.write(world.toGateway);
            world.pumpRelay();
        }
        for (int i = 0; i < 100; i++) {
            world.pumpRelay();
        }
    }

    @Test
    void theCancelOfANoteEndsTheLinkInWords() throws IOException {
        try (LinkWorld world = new LinkWorld(directory, random, client)) {
            client.use(world.link);
            ClientRequests.cancelled(message, 1, GENERATION | 3);
            assertThatThrownBy(() -> send(world))
                    .isInstanceOf(FrameException.class)
                    .hasMessage("it cancelled what no link can have posted");
        }
    }

    /** The slots are the gateway's. */
    @ParameterizedTest
    @ValueSource(ints = {ClientRequests.SEND_LENT, ClientRequests.SEND_SHORT})
    void whoeverLendsASlotOrPostsWithoutACallEndsTheLinkInWords(int kind) throws IOException {
        try (LinkWorld world = new LinkWorld(directory, random, client)) {
            client.use(world.link);
            if (kind == ClientRequests.SEND_LENT) {
                ClientRequests.sendLent(message, 0, 7, 0, 100);
            } else {
                ClientRequests.sendKept(message, 7, 0, 0);
            }
            assertThatThrownBy(() -> send(world))
                    .isInstanceOf(FrameException.class)
                    .hasMessage("it posted without a call, which no link does");
        }
    }

    /** What comes next about its reference could be of an operation that was cancelled. */
    @ParameterizedTest
    @ValueSource(
            ints = {ClientRequests.SEND, ClientRequests.RECEIVE, ClientRequests.SEND_UNEXPECTED})
    void aPostWithoutACorrelationEndsTheLinkInWords(int kind) throws IOException {
        try (LinkWorld world = new LinkWorld(directory, random, client)) {
            client.use(world.link);
            message.start(kind).put(0).put(GENERATION | 3).put(7, ClientRequests.NOT_EAGER);
            message.put(100).put(0, 0);
            if (kind != ClientRequests.RECEIVE) {
                message.put(0);
            }
            assertThatThrownBy(() -> send(world))
                    .isInstanceOf(FrameException.class)
                    .hasMessage("it posted without a call, which no link does");
        }
    }

    @Test
    void noReceiveTakesBytesInsideAMessageWhateverItSays() throws IOException {
        try (LinkWorld world = new LinkWorld(directory, random, client)) {
            client.use(world.link);
            DirectServerSim server = new DirectServerSim(world, random);
            for (int i = 1; i <= RECEIVES; i++) {
                int room = ClientEvents.MAX_DATA_BYTES;
                ClientRequests.receive(message, i, GENERATION | i, i, 1 << 20, 0, room);
                send(world);
                while (world.pumpEngine(10)) {
                    server.takeEvents();
                }
                server.post(true, i, i); // the world fails if it is sent inside a message
            }
            assertThat(server.all)
                    .anyMatch(post -> post.bytes > 0 && post.bytes <= ClientEvents.MAX_DATA_BYTES);
        }
    }
}

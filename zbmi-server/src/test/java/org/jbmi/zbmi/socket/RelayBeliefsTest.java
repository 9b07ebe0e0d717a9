package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/**
 * A remote client names an operation as another one that it has cancelled, or says that it has. No
 * bytes may go the wrong way: the server's memory is neither read nor written.
 */
@Timeout(60)
class RelayBeliefsTest {
    private static final int BYTES = 20_000;
    private static final int FOR_EVER_MS = 1_000_000;
    private static final long NAME = 5;
    private static final int TAG = 1;
    private static final int OTHER_TAG = 2;
    private static final int TURNS = 200;

    @TempDir private Path directory;

    private final Random random = new Random(1);
    private final FrameWriter frames = new FrameWriter();
    private final Message message = new Message();
    private final Heard heard = new Heard();

    private static final class Heard implements PeerEvents {
        private final Message pending = new Message();
        private final Message grant = new Message();
        private int grants;

        @Override
        public void onEvent(Message event) {
            if (event.kind() == ClientEvents.PENDING) {
                pending.copyFrom(event);
            } else if (event.kind() == ClientEvents.GRANT) {
                grant.copyFrom(event);
                grants++;
            }
        }

        @Override
        public void onBroken(String reason) {
            throw new AssertionError(reason);
        }
    }

    private void say() {
        frames.message(message, MemorySegment.NULL, 0, 0);
    }

    private void pump(LinkWorld world, boolean withEngine) throws IOException {
        for (int i = 0; i < TURNS || frames.hasPending(); i++) {
            if (frames.hasPending()) {
                frames.write(world.toGateway);
            }
            world.pumpRelay();
            if (withEngine) {
                world.pumpEngine(10);
            }
        }
    }

    private void hear(LinkWorld world) throws IOException {
        pump(world, true);
        while (world.toClient.size() > 0) {
            world.pumpLink();
            world.pumpRelay();
        }
    }

    private void post(boolean receives, long correlation, int tag, int timeoutMs) {
        if (receives) {
            ClientRequests.receive(
                    message,
                    correlation,
                    NAME,
                    tag,
                    1 << 20,
                    timeoutMs,
                    ClientRequests.NO_DATA_ROOM);
        } else {
            int slot = ClientRequests.NOT_EAGER;
            ClientRequests.send(message, correlation, NAME, tag, BYTES, timeoutMs, slot, 0);
        }
        say();
    }

    private byte[] pool(LinkWorld world) {
        long bytes = world.map.segmentBytes() - world.map.expectedOffset();
        return world.memory()
                .slice(world.map.expectedOffset(), bytes)
                .toArray(ValueLayout.JAVA_BYTE);
    }

    private void takeTheOffer(LinkWorld world) throws IOException {
        frames.note(LinkFrame.CLAIM, NAME, 1, (int) ClientEvents.partner(heard.grant));
        pump(world, true);
    }

    private void sendWhatIsNotWanted(LinkWorld world) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(DirectServerSim.BLOCK);
        Arrays.fill(bytes.array(), (byte) 0x55);
        PayloadCursor cursor =
                new PayloadCursor() {
                    @Override
                    public int window(ByteBuffer[] views, int from, long maxBytes) {
                        views[from] = bytes.slice(0, (int) maxBytes);
                        return 1;
                    }

                    @Override
                    public void advance(long count) {} // all bytes are alike
                };
        frames.data(NAME, 1, 0, (int) ClientEvents.grantBytes(heard.grant), cursor);
        pump(world, true);
    }

    private void copyPool(LinkWorld world, byte[] into) {
        System.arraycopy(pool(world), 0, into, 0, into.length);
    }

    private LinkWorld world() throws IOException {
        return new LinkWorld(directory, random, heard);
    }

    private void beginToWait(LinkWorld world) throws IOException {
        ClientRequests.test(message, 9, FOR_EVER_MS);
        say();
        hear(world);
    }

    // The sizes of the server's messages are random.
    private DirectServerSim postOfServer(LinkWorld world, boolean sends) {
        DirectServerSim server = new DirectServerSim(world, random);
        server.post(sends, 1, TAG);
        assertThat(server.all.getFirst().bytes).isPositive();
        return server;
    }

    @ParameterizedTest
    @CsvSource({"false, 123456789, 0", "true, 123456789, 0", "false, 0, 1000", "true, 0, 1000"})
    void aWithdrawalThatTheEngineIgnoresEndsTheLink(boolean receives, long id, int timeoutMs)
            throws IOException {
        try (LinkWorld world = world()) {
            post(receives, 1, TAG, timeoutMs);
            hear(world);
            byte[] before = pool(world);
            assertThatThrownBy(
                            () -> {
                                ClientRequests.withdraw(message, id, NAME);
                                say();
                                post(!receives, 2, OTHER_TAG, 0);
                                beginToWait(world);
                                postOfServer(world, receives);
                                copyPool(world, before);
                                hear(world);
                                takeTheOffer(world);
                                if (receives) {
                                    sendWhatIsNotWanted(world);
                                }
                            })
                    .isInstanceOf(FrameException.class)
                    .hasMessage("it withdrew an operation under another one's reference");
            assertThat(world.toClient.size()).as("the server's memory, read").isZero();
            assertThat(pool(world)).as("the server's memory").isEqualTo(before);
        }
    }

    /** The engine offers a place to the old one before it hears that the client has cancelled. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anOfferToACancelledOperationIsNotOfTheNextOneOfItsName(boolean receives)
            throws IOException {
        try (LinkWorld world = world()) {
            post(receives, 1, TAG, 0);
            hear(world);
            beginToWait(world);
            long id = ClientEvents.operationId(heard.pending);
            ClientRequests.withdraw(message, id, NAME);
            say();
            post(!receives, 2, OTHER_TAG, 0);
            pump(world, false);
            postOfServer(world, receives);
            byte[] before = pool(world);
            pump(world, false);
            while (world.toClient.size() > 0) {
                world.pumpLink();
            }
            takeTheOffer(world);
            if (receives && heard.grants > 0) {
                sendWhatIsNotWanted(world);
            }
            assertThat(heard.grants).as("offers").isZero();
            assertThat(world.toClient.size())
                    .as("the server's memory, read")
                    .isLessThan(BYTES / 20);
            assertThat(pool(world)).as("the server's memory").isEqualTo(before);
        }
    }
}

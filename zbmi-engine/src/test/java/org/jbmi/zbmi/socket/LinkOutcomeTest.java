package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.SystemNanoClock;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;

/** What the engine says of an operation while its bytes are still being written. */
@Timeout(30)
class LinkOutcomeTest {
    private static final long REFERENCE = 1L << Integer.SIZE | 3;
    private static final int CLAIM = 1;
    private static final int STREAM_BYTES = 1 << 16;
    private static final int MORE_THAN_THE_STREAM_HOLDS = 2 * STREAM_BYTES;
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final Random random = new Random(1);
    private final StreamPipe toGateway = new StreamPipe(random, STREAM_BYTES);
    private final StreamPipe toClient = new StreamPipe(random, STREAM_BYTES);
    private final FrameWriter gateway = new FrameWriter();
    private final Message message = new Message();
    private final Message grant = new Message();
    private final Message last = new Message();
    private final RemoteOperation send =
            new RemoteOperation(
                    OperationKind.SEND,
                    REFERENCE,
                    1,
                    0,
                    List.of(new byte[MORE_THAN_THE_STREAM_HOLDS]));
    private SocketClientLink link;

    private void offer(long partner) {
        ClientEvents.grant(message, 0, REFERENCE, partner, partner, MORE_THAN_THE_STREAM_HOLDS);
        gateway.message(ClientEvents.grantPlace(message, 0, 0, 0, 0, 0), NOTHING, 0, 0);
    }

    private void hear() throws IOException {
        while (gateway.hasPending() || toClient.size() > 0) {
            gateway.write(toClient);
            link.progress();
        }
        assertThat(link.brokenReason()).isNull();
    }

    /** A void claim, another offer, and the end of it all, each of which crosses the bytes. */
    @Test
    void theEndIsHeardThoughAnotherOfferCameBeforeIt() throws IOException {
        SessionLimits limits = new SessionLimits(1 << 20, 8192, 1024, 64, 10);
        link =
                new SocketClientLink(
                        new StreamTransport(toClient, toGateway),
                        new LinkWelcome(1, 4, limits),
                        new Claiming(),
                        SystemNanoClock.INSTANCE,
                        LinkWorld.PATIENT);
        offer(11);
        hear();
        assertThat(link.startMove(send, grant)).isEqualTo(ClientLink.MOVING);
        while (toGateway.size() < STREAM_BYTES) {
            link.progress();
        }
        gateway.note(LinkFrame.VOID, REFERENCE, CLAIM, 0);
        offer(12);
        ClientEvents.completed(message, 0, REFERENCE, MORE_THAN_THE_STREAM_HOLDS);
        gateway.message(message, NOTHING, 0, 0);
        hear();
        assertThat(last.kind()).as("not while its bytes are read").isEqualTo(ClientEvents.GRANT);
        ByteBuffer sink = ByteBuffer.allocate(STREAM_BYTES);
        while (toGateway.read(sink.clear()) > 0) {
            link.progress();
        }
        assertThat(last.kind()).isEqualTo(ClientEvents.COMPLETED);
        link.close();
    }

    private final class Claiming implements PeerEvents {
        @Override
        public void onEvent(Message news) {
            last.copyFrom(news);
            if (news.kind() == ClientEvents.GRANT) {
                assertThat(link.claim(news)).isTrue();
                grant.copyFrom(news);
            }
        }

        @Override
        public void onBroken(String reason) {
            throw new AssertionError(reason);
        }
    }
}

package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A gateway that says what a test tells it to say, and the client's link, which claims offers. */
final class ScriptedGateway implements PeerEvents {
    /** Of the one operation that there is. */
    static final long REFERENCE = 1L << Integer.SIZE | 3;

    /** What a stream holds before its reader has read. */
    static final int STREAM_BYTES = 1 << 16;

    private static final int MANY_ROUNDS = 1000;
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);
    private static final SessionLimits LIMITS = new SessionLimits(1 << 20, 8192, 1024, 64, 10);

    /** What was claimed last. */
    final Message grant = new Message();

    /** What came last. */
    final Message last = new Message();

    /** How much came by itself. */
    int events;

    /** Whether the program claims what it is offered. */
    boolean takesOffers = true;

    private final Random random = new Random(1);
    private final StreamPipe toGateway = new StreamPipe(random, STREAM_BYTES);
    private final StreamPipe toClient = new StreamPipe(random, STREAM_BYTES);
    private final FrameWriter frames = new FrameWriter();
    private final Message message = new Message();
    final SocketClientLink link =
            new SocketClientLink(
                    new StreamTransport(toClient, toGateway),
                    new LinkWelcome(1, 4, LIMITS),
                    this,
                    NanoClock.SYSTEM,
                    LinkWorld.PATIENT);

    /** The operation of which it speaks. */
    static RemoteOperation operation(OperationKind kind, int bytes) {
        return new RemoteOperation(kind, REFERENCE, 1, 0, List.of(new byte[bytes]));
    }

    void offer(long partner, int bytes) {
        ClientEvents.grant(message, 0, REFERENCE, partner, partner, bytes);
        ClientEvents.grantPlace(message, 0, 0, 0, 0, (int) partner, 0);
        frames.message(message, NOTHING, 0, 0);
    }

    /** Says something short of a claim. */
    void ofClaim(long claim, int frameKind) {
        frames.note(frameKind, REFERENCE, claim, 0);
    }

    /** The bytes of a claimed message come; the link reads on when it has their buffers. */
    void data(long claim, int bytes) throws IOException {
        OperationCursor cursor = new OperationCursor();
        cursor.begin(operation(OperationKind.SEND, bytes));
        frames.data(REFERENCE, claim, 0, bytes, cursor);
        for (int i = 0; i < MANY_ROUNDS; i++) {
            frames.write(toClient);
            link.progress();
        }
    }

    void completed(int bytes) {
        frames.message(ClientEvents.completed(message, 0, REFERENCE, bytes), NOTHING, 0, 0);
    }

    void failed(int code) {
        frames.message(ClientEvents.failed(message, 0, REFERENCE, code), NOTHING, 0, 0);
    }

    /** What it has said arrives. */
    void isHeard() throws IOException {
        while (frames.hasPending() || toClient.size() > 0) {
            frames.write(toClient);
            link.progress();
        }
        assertThat(link.brokenReason()).isNull();
    }

    /** The link writes until it finds no room. */
    void readsNothing() {
        while (toGateway.size() < STREAM_BYTES) {
            link.progress();
        }
    }

    /** It reads all that the link writes. */
    void readsAll() throws IOException {
        ByteBuffer sink = ByteBuffer.allocate(STREAM_BYTES);
        while (toGateway.read(sink.clear()) > 0) {
            link.progress();
        }
    }

    /** Whose messages the claims that the link has written name; all of it is read. */
    List<Long> claimed() {
        ByteBuffer all = ByteBuffer.allocate(STREAM_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int idle = 0; idle < 20; idle++) {
            link.progress();
            idle = toGateway.read(all) > 0 ? 0 : idle;
        }
        List<Long> partners = new ArrayList<>();
        for (int at = 0; at < all.position(); at += all.getInt(at)) {
            if (all.getInt(at + 12) == LinkFrame.CLAIM) {
                partners.add(all.getLong(at + LinkFrame.HEADER_BYTES + 2 * Long.BYTES));
            }
        }
        return partners;
    }

    @Override
    public void onEvent(Message event) {
        events++;
        last.copyFrom(event);
        if (event.kind() == ClientEvents.GRANT && takesOffers) {
            assertThat(link.claim(event)).isTrue();
            grant.copyFrom(event);
        }
    }

    @Override
    public void onBroken(String reason) {
        throw new AssertionError(reason);
    }
}

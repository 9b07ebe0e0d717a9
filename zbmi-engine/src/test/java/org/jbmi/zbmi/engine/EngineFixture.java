package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.ClientRequests.INLINE;
import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;
import static org.jbmi.zbmi.protocol.ClientRequests.NO_DATA_ROOM;
import static org.jbmi.zbmi.protocol.ServerRequests.NEVER;

import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * An engine with three clients and a server attached, and short names for what they do. After each
 * test everybody leaves, and nothing may be left of them.
 */
abstract class EngineFixture {
    static final int A = 1;
    static final int B = 2;
    static final int C = 3;
    private static final int FILLER = 4;
    static final long EXPECTED = 1 << 20;
    static final long UNEXPECTED = 4096;
    static final int CHUNKS = 4;
    static final int MAX_UNEXPECTED = 1024;
    static final int EAGER = 100;
    static final EagerPlaces PLACES = new EagerPlaces(1 << 28, 1 << 10, 128);
    static final long MS = 1_000_000;

    final RecordingOutput output = new RecordingOutput();
    final FakePayload payload = new FakePayload();
    final Map<EngineCounter, Long> counts = new EnumMap<>(EngineCounter.class);
    Engine engine = engine(limits());
    long nowNs = 1000;
    private long correlations;
    private long sequences;

    static EngineLimits limits() {
        return limits(EAGER, PLACES, 1000 * MS);
    }

    static EngineLimits limits(int eagerBytes, EagerPlaces places, long immediateWaitNs) {
        return new EngineLimits(
                FILLER,
                100,
                100,
                1 << 16,
                MAX_UNEXPECTED,
                eagerBytes,
                4,
                places,
                16,
                UNEXPECTED,
                (long) CHUNKS * MAX_UNEXPECTED,
                EXPECTED,
                1 << 20,
                immediateWaitNs);
    }

    Engine engine(EngineLimits limits) {
        return new Engine(limits, output, payload);
    }

    @BeforeEach
    void everybodyAttaches() {
        engine.serverAttached(1);
        for (int client = A; client <= C; client++) {
            engine.clientAttached(client, 10 + client);
        }
        output.take();
    }

    @AfterEach
    void nothingIsLeft() {
        new EngineAudit(engine).check();
        for (int client = A; client <= C; client++) {
            engine.clientGone(client, -1, true);
            assertThat(engine.mayAttachClient(client)).isTrue();
            assertThat(engine.state().client(client).tags.inUse.first()).isNull();
            assertThat(engine.state().client(client).heldCalls).isZero();
        }
        engine.serverGone(true);
        assertThat(engine.mayAttachServer()).isTrue();
        assertThat(engine.pendingOperations()).isZero();
        assertThat(engine.liveUnexpectedBlocks()).isZero();
        assertThat(engine.unexpected().waiting()).isZero();
        assertThat(engine.unexpected().region().freeChunks())
                .isEqualTo(engine.unexpected().region().chunkCount());
        assertThat(engine.nanosToNextDeadline(nowNs)).isEqualTo(Long.MAX_VALUE);
        new EngineAudit(engine).checkEmpty();
    }

    long count(EngineCounter counter) {
        engine.takeCounts((session, kind, delta) -> counts.merge(kind, delta, Long::sum));
        return counts.getOrDefault(counter, 0L);
    }

    /** What was said since the last look must be this, in this order. */
    void said(String... lines) {
        assertThat(output.take()).containsExactly(lines);
        new EngineAudit(engine).check();
    }

    void saidNothing() {
        said();
    }

    void tell(int client, Message m) {
        engine.receive(client, m, nowNs);
    }

    void send(
            int client,
            long correlation,
            long reference,
            int tag,
            long bytes,
            int timeoutMs,
            int slot,
            long sequence) {
        Message m = new Message();
        tell(
                client,
                ClientRequests.send(
                        m, correlation, reference, tag, bytes, timeoutMs, slot, sequence));
    }

    void receive(
            int client,
            long correlation,
            long reference,
            int tag,
            long room,
            int timeoutMs,
            int dataRoom) {
        Message m = new Message();
        tell(
                client,
                ClientRequests.receive(m, correlation, reference, tag, room, timeoutMs, dataRoom));
    }

    void sendUnexpected(
            int client,
            long correlation,
            long reference,
            int tag,
            int messageClass,
            long bytes,
            int timeoutMs,
            int slot,
            long sequence) {
        Message m = new Message();
        tell(
                client,
                ClientRequests.sendUnexpected(
                        m,
                        correlation,
                        reference,
                        tag,
                        messageClass,
                        bytes,
                        timeoutMs,
                        slot,
                        sequence));
    }

    void disarm(int client, long correlation) {
        tell(client, ClientRequests.disarm(new Message(), correlation));
    }

    void done(int client, long grantId, long bytes, int status) {
        tell(client, ClientRequests.done(new Message(), grantId, bytes, status));
    }

    void withdraw(int client, long operationId, long reference) {
        tell(client, ClientRequests.withdraw(new Message(), operationId, reference));
    }

    void expires(int client, long operationId, long reference, long milliseconds) {
        tell(client, ClientRequests.expires(new Message(), operationId, reference, milliseconds));
    }

    void cancelled(int client, long number, long reference) {
        tell(client, ClientRequests.cancelled(new Message(), number, reference));
    }

    long send(int client, long reference, int tag, long bytes) {
        return send(client, reference, tag, bytes, 0);
    }

    long send(int client, long reference, int tag, long bytes, int timeoutMs) {
        long corr = ++correlations;
        send(client, corr, reference, tag, bytes, timeoutMs, NOT_EAGER, 0);
        return corr;
    }

    /** Announces and sends; the sequence is the result. */
    long sendEager(int client, long reference, int tag, long bytes, int slot, long content) {
        long sequence = ++sequences;
        payload.announce(client, slot, sequence, content);
        send(client, ++correlations, reference, tag, bytes, 0, slot, sequence);
        return sequence;
    }

    long receive(int client, long reference, int tag, long room) {
        return receive(client, reference, tag, room, 0);
    }

    long receive(int client, long reference, int tag, long room, int timeoutMs) {
        long corr = ++correlations;
        receive(client, corr, reference, tag, room, timeoutMs, NO_DATA_ROOM);
        return corr;
    }

    long unexpected(int client, long reference, int tag, long bytes) {
        return unexpected(client, reference, tag, bytes, 0);
    }

    long unexpected(int client, long reference, int tag, long bytes, int timeoutMs) {
        long corr = ++correlations;
        sendUnexpected(client, corr, reference, tag, 0, bytes, timeoutMs, NOT_EAGER, 0);
        return corr;
    }

    long unexpectedInline(int client, long reference, int tag, long content) {
        long corr = ++correlations;
        Message m = new Message();
        ClientRequests.sendUnexpected(m, corr, reference, tag, 0, 8, 0, INLINE, 0).put(content);
        tell(client, m);
        return corr;
    }

    void unexpectedCounted(int client, long reference, int tag, long content) {
        Message m = new Message();
        ClientRequests.sendShort(m, reference, tag, 0, 8, true).put(content);
        tell(client, m);
    }

    /** Its send is over. */
    void unexpectedKept(int client, int tag, long content) {
        Message m = new Message();
        ClientRequests.sendKept(m, tag, 0, 8).put(content);
        tell(client, m);
    }

    /** Its bytes are in a slot, and its send is over. */
    void unexpectedLent(int client, int slot, int tag, int bytes) {
        Message m = ClientRequests.sendLent(new Message(), slot, tag, 0, bytes);
        tell(client, m);
    }

    long unexpectedEager(int client, long reference, int tag, long bytes, int slot, long content) {
        long sequence = ++sequences;
        payload.announce(client, slot, sequence, content);
        sendUnexpected(client, ++correlations, reference, tag, 0, bytes, 0, slot, sequence);
        return sequence;
    }

    long test(int client, long timeoutMs) {
        long corr = ++correlations;
        tell(client, new Message().start(ClientRequests.TEST).put(corr).put(timeoutMs));
        return corr;
    }

    long postReceive(long reference, int client, int tag, long room) {
        long corr = ++correlations;
        long at = EXPECTED + reference * 64;
        int life = 10 + client;
        post(false, corr, reference, client, life, tag, room, at, 0, 0, NEVER, nowNs);
        return corr;
    }

    long postSend(long reference, int client, int tag, long bytes) {
        long corr = ++correlations;
        long at = EXPECTED + reference * 64;
        int life = 10 + client;
        post(true, corr, reference, client, life, tag, bytes, at, 0, 0, NEVER, nowNs);
        return corr;
    }

    void post(
            boolean isSend,
            long correlation,
            long reference,
            int client,
            int generation,
            int tag,
            long bytes,
            long offset,
            long listOffset,
            int listEntries,
            int expiryMs,
            long now) {
        int kind = isSend ? ServerRequests.POST_SEND : ServerRequests.POST_RECEIVE;
        Message m = new Message();
        ServerRequests.post(
                m, kind, correlation, reference, client, generation, tag, expiryMs, bytes);
        ServerRequests.place(m, offset, listOffset, listEntries);
        engine.post(correlation, ServerRequests.read(m, new ServerPost()), now);
    }

    long cancel(long reference, long zoidId) {
        long corr = ++correlations;
        engine.cancel(corr, reference, zoidId);
        return corr;
    }

    boolean claim(RecordingOutput.Granted grant) {
        return payload.claim(grant.client(), grant.window(), grant.claimWord());
    }

    void done(RecordingOutput.Granted grant) {
        done(grant.client(), grant.grantId(), grant.bytes(), 0);
    }

    /** The client claims the last grant, moves its bytes, and says so. */
    void move(RecordingOutput.Granted grant) {
        assertThat(claim(grant)).isTrue();
        done(grant);
    }

    /** The server gives memory back, and its host makes the round that is due then. */
    void free(long offset) {
        engine.unexpectedFree(offset);
        if (engine.nanosToNextDeadline(nowNs) == 0) {
            engine.tick(nowNs);
        }
    }

    /**
     * Fills the whole region for unexpected messages, with those of clients that have gone since;
     * what was said about it is not kept.
     */
    List<RecordingOutput.Arrived> fillRegion() {
        return fillChunks(CHUNKS);
    }

    List<RecordingOutput.Arrived> fillChunks(int count) {
        output.take();
        for (int i = 0; i < count; i++) {
            engine.clientAttached(FILLER, 100 + i);
            unexpected(FILLER, 900 + i, 0, MAX_UNEXPECTED);
            move(output.lastGrant());
            engine.clientGone(FILLER, -1, true);
        }
        output.take();
        List<RecordingOutput.Arrived> full = new ArrayList<>(output.arrived);
        return full.subList(full.size() - count, full.size());
    }
}

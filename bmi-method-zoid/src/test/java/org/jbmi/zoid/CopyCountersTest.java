package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Completions;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;

/** Copies and system calls are counted where they are made. */
@Timeout(60)
class CopyCountersTest {
    private static final long SLEEP_MS = 200; // thousands of times as long as one spins before

    private ZoidWorld world;

    @AfterEach
    void close() {
        world.close();
    }

    private Pair begin(String host) {
        world = new ZoidWorld(host);
        world.startHost();
        return Pair.in(world);
    }

    private long ofEngine() {
        return world.hostCount("zbmi.copies");
    }

    // An engine that is busy writes its counters at intervals.
    private void awaitEnginesCopies(long copies) {
        ZoidWorld.await("count " + copies, 10_000, () -> ofEngine() >= copies);
        assertThat(ofEngine()).isEqualTo(copies);
    }

    private long ofClient(Pair pair) {
        return world.count(pair.client(), "zoid.client.copies");
    }

    private long inServer(Pair pair) {
        return world.count(pair.server(), "zoid.server.engineCopies");
    }

    private static void unexpected(Pair pair, int bytes) {
        MemorySegment out = MemorySegment.ofArray(new byte[bytes]);
        long sent = pair.clientContext().postSendUnexpected(pair.toServer(), out, 3);
        assertThat(pair.clientContext().await(sent, 10_000)).isEqualTo(bytes);
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        assertThat(pair.server().testUnexpected(one, 10_000)).isEqualTo(1);
        one.free(0);
    }

    private static void expected(Pair pair, int bytes) {
        MemorySegment block = pair.toClient().allocate(bytes);
        long receive = pair.serverContext().postReceive(pair.toClient(), block, 5);
        MemorySegment out = MemorySegment.ofArray(new byte[bytes]);
        long send = pair.clientContext().postSend(pair.toServer(), out, 5);
        assertThat(pair.clientContext().await(send, 10_000)).isEqualTo(bytes);
        assertThat(pair.serverContext().await(receive, 10_000)).isEqualTo(bytes);
        pair.server().free(block);
    }

    private static void reply(Pair pair, int bytes) {
        MemorySegment in = MemorySegment.ofArray(new byte[bytes]);
        long receive = pair.clientContext().postReceive(pair.toServer(), in, 6);
        MemorySegment block = pair.toClient().allocate(bytes);
        long send = pair.serverContext().postSend(pair.toClient(), block, 6);
        assertThat(pair.clientContext().await(receive, 10_000)).isEqualTo(bytes);
        assertThat(pair.serverContext().await(send, 10_000)).isEqualTo(bytes);
        pair.server().free(block);
    }

    // The client copies each message once: into its lane, its eager slot, or the granted place. The
    // server gets an unexpected message where it is.
    @ParameterizedTest
    @CsvSource({"embedded, 1", "direct, 1", "daemon, 0"})
    void theEnginesCopiesOfSmallMessagesAreCounted(String host, int isInServer) {
        Pair pair = begin(host);
        long engine = 1; // the message by which the server knows the client
        awaitEnginesCopies(engine);
        long client = ofClient(pair);
        long server = inServer(pair);
        unexpected(pair, 8); // inside the message
        unexpected(pair, 700); // in an eager slot, where it stays
        expected(pair, 1000); // in an eager slot, then into a buffer of the pool
        awaitEnginesCopies(engine + 2);
        assertThat(ofClient(pair) - client).isEqualTo(3);
        reply(pair, 1000); // out of the pool into a data slot, from where the client copies it
        awaitEnginesCopies(engine + 3);
        assertThat(ofClient(pair) - client).isEqualTo(4);
        expected(pair, 100_000); // the client moves it itself
        reply(pair, 100_000);
        unexpected(pair, 0);
        awaitEnginesCopies(engine + 3);
        assertThat(ofClient(pair) - client).isEqualTo(6);
        assertThat(inServer(pair) - server).isEqualTo(3L * isInServer);
        assertThat(world.count(pair.server(), "zoid.server.copies")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct", "daemon"})
    void sleepsAreCountedAsSystemCalls(String host) {
        Pair pair = begin(host);
        MemorySegment buffer = MemorySegment.ofArray(new byte[10]);
        long never = pair.clientContext().postReceive(pair.toServer(), buffer, 1);
        long client = world.count(pair.client(), "zoid.futexCalls");
        long server = world.count(pair.server(), "zoid.futexCalls");
        assertThat(pair.clientContext().test(never, Completions.ofCapacity(1), SLEEP_MS)).isZero();
        assertThat(pair.server().testUnexpected(UnexpectedMessages.ofCapacity(1), SLEEP_MS))
                .isZero();
        assertThat(world.count(pair.client(), "zoid.futexCalls")).isGreaterThan(client);
        assertThat(world.count(pair.server(), "zoid.futexCalls")).isGreaterThan(server);
        assertThat(world.hostCount("zbmi.futexCalls")).isPositive();
    }
}

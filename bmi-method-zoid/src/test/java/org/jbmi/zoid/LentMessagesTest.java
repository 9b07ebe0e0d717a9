package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Unexpected messages up to the eager limit: the server reads them where their client put them. */
@Timeout(60)
class LentMessagesTest {
    private static final int LIMIT = 4096;
    private static final int MOST_LENT = 8;

    private ZoidWorld world;
    private Pair pair;

    @AfterEach
    void close() {
        world.close();
    }

    private void begin(String host) {
        world = new ZoidWorld(host);
        world.startHost();
        pair = Pair.in(world);
    }

    private static MemorySegment message(int bytes, int first) {
        MemorySegment message = MemorySegment.ofArray(new byte[bytes]);
        for (int i = 0; i < bytes; i++) {
            message.set(ValueLayout.JAVA_BYTE, i, (byte) (first + i));
        }
        return message;
    }

    private static UnexpectedMessages take(Bmi server) {
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        assertThat(server.testUnexpected(one, 10_000)).isEqualTo(1);
        return one;
    }

    private static void expect(UnexpectedMessages one, int bytes, int first) {
        assertThat(one.payload(0).mismatch(message(bytes, first)))
                .as("%d bytes from %d", bytes, first)
                .isEqualTo(-1);
    }

    private long send(int bytes, int first) {
        MemorySegment message = message(bytes, first);
        long result = pair.clientContext().postSendUnexpected(pair.toServer(), message, first);
        message.fill((byte) 99); // it is the program's again, if the send is over
        return result;
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct", "daemon"})
    void oneIsOverInItsPostAndArrivesWhole(String host) {
        begin(host);
        int first = 0;
        for (int turn = 0; turn < 3; turn++) {
            for (int bytes : new int[] {89, 90, 127, 1000, 1025, 4095, LIMIT}) {
                first++;
                int next = first;
                ZoidWorld.await("a slot is back", 10_000, () -> isLent(next));
                assertThat(send(bytes, first)).isEqualTo(bytes);
                UnexpectedMessages one = take(pair.server());
                assertThat(one.tag(0)).isEqualTo(first);
                expect(one, bytes, first);
                one.free(0);
            }
        }
    }

    // A daemon hears of a free a little later.
    private boolean isLent(int first) {
        long sent = send(100, first);
        UnexpectedMessages one = take(pair.server());
        boolean isLent = sent == 100;
        if (!isLent) {
            assertThat(pair.clientContext().await(sent, 10_000)).isEqualTo(100);
        } else {
            expect(one, 100, first);
        }
        one.free(0);
        return isLent;
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct", "daemon"})
    void aServerThatFreesNothingGetsTheRestInOrderByOtherWays(String host) {
        begin(host);
        List<MemorySegment> sent = new ArrayList<>();
        int pending = 0;
        for (int i = 0; i < 3 * MOST_LENT; i++) {
            MemorySegment message = message(i % 3 == 2 ? 40 : 89 + 150 * i, i);
            sent.add(message);
            long result = pair.clientContext().postSendUnexpected(pair.toServer(), message, i);
            boolean isPending = PostResult.isPending(result);
            pending += isPending ? 1 : 0;
            assertThat(isPending || result == message.byteSize()).isTrue();
        }
        assertThat(pending).isPositive();
        List<UnexpectedMessages> held = new ArrayList<>();
        Completions done = Completions.ofCapacity(1);
        while (held.size() < sent.size() || pending > 0) {
            if (pair.clientContext().testContext(done, 0) == 1) {
                assertThat(done.outcome(0).isSuccess()).isTrue();
                pending--;
            }
            UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
            if (pair.server().testUnexpected(one, 0) == 1) {
                assertThat(one.tag(0)).isEqualTo(held.size());
                held.add(one);
            }
        }
        for (int i = 0; i < sent.size(); i++) {
            assertThat(held.get(i).payload(0).mismatch(sent.get(i))).as("%d", i).isEqualTo(-1);
            held.get(i).free(0);
        }
        ZoidWorld.await("slots are back", 10_000, () -> isLent(100));
    }

    /** Its memory is part of the session. */
    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct", "daemon"})
    void aSessionIsFreeOnceTheServerHasFreedWhatLiesInIt(String host) {
        world = new ZoidWorld(host).daemonKnob("zbmi.maxClients", "1");
        world.startHost();
        pair = Pair.in(world);
        for (int turn = 0; turn < 20; turn++) {
            int first = turn;
            ZoidWorld.await("a slot is back", 10_000, () -> isLent(first));
            assertThat(send(1000, turn)).isEqualTo(1000);
            UnexpectedMessages old = take(pair.server());
            pair.client().close();
            if (turn == 0) {
                Bmi refused = world.keep(world.builder().knob("zoid.attachTimeoutMs", "50").open());
                assertThatThrownBy(() -> refused.lookup("zoid://"))
                        .hasMessageContaining("it keeps 1 until the server frees");
                refused.close();
            }
            expect(old, 1000, turn);
            UnexpectedMessages none = UnexpectedMessages.ofCapacity(1);
            for (int look = 0; look < 5000; look++) { // from now on a free waits for the next call
                assertThat(pair.server().testUnexpected(none, 0)).isZero();
            }
            old.free(0);
            Bmi next = host.equals("daemon") ? patientClient() : world.client();
            pair = Pair.of(pair.server(), pair.serverContext(), next);
        }
    }

    // A daemon hears of a free a little later.
    private Bmi patientClient() {
        Bmi client = world.client();
        ZoidWorld.await("a session is free", 10_000, () -> isAttached(client));
        return client;
    }

    private static boolean isAttached(Bmi client) {
        try {
            client.lookup("zoid://");
            return true;
        } catch (BmiException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.ENOBUFS);
            return false;
        }
    }

    /** Whoever gets the session next would write into what the program looks at. */
    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct", "daemon"})
    void whatTheServerHoldsOutlivesItsClient(String host) {
        begin(host);
        assertThat(send(LIMIT, 1)).isEqualTo(LIMIT);
        assertThat(send(2000, 2)).isEqualTo(2000);
        UnexpectedMessages old = take(pair.server());
        pair.client().close();
        for (int turn = 0; turn < 5; turn++) {
            Bmi other = world.client();
            CompletionContext context = other.openContext();
            PeerAddress server = other.lookup("zoid://");
            for (int i = 0; i < 2 * MOST_LENT; i++) {
                MemorySegment message = message(LIMIT, 100 + i);
                long sent = context.postSendUnexpected(server, message, 100 + i);
                UnexpectedMessages one = take(pair.server());
                while (one.tag(0) < 100) { // of the client that is gone
                    assertThat(turn).isZero();
                    expect(one, 2000, 2);
                    one.free(0);
                    one = take(pair.server());
                }
                assertThat(context.await(sent, 10_000)).isEqualTo(LIMIT);
                expect(one, LIMIT, 100 + i);
                one.free(0);
                expect(old, LIMIT, 1);
            }
            other.close();
        }
        old.free(0);
    }
}

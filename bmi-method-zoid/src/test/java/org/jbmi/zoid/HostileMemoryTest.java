package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedMessages;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Everything in shared memory that one side reads and the other may write is filled with garbage,
 * some of it almost right, while it is in use: an error to who did it, and nobody else notices.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class HostileMemoryTest {
    private static final boolean IS_LONG = Boolean.getBoolean("jbmi.long");
    private static final int CLIENT_ROUNDS = IS_LONG ? 500 : 12;
    private static final int MOST_ROUNDS = 10 * CLIENT_ROUNDS;
    private static final int ENGINE_ROUNDS = IS_LONG ? 100 : 1;
    private static final int MOST_ENGINE_ROUNDS = 10;
    private static final int LISTS = IS_LONG ? 2000 : 100;
    private static final int MOST_LISTS = 10 * LISTS;
    private static final Set<ErrorCode> LIST_ENDS =
            Set.of(ErrorCode.SUCCESS, ErrorCode.EINVAL, ErrorCode.EPROTO, ErrorCode.ETIMEDOUT);
    private static final Set<ErrorCode> ENGINE_ENDS =
            Set.of(
                    ErrorCode.SUCCESS,
                    ErrorCode.EHOSTDOWN,
                    ErrorCode.EPIPE,
                    ErrorCode.EPROTO,
                    ErrorCode.ETIMEDOUT);
    private static final int EXCHANGES = 5;
    private static final int ENGINE_EXCHANGES = 10;
    private static final PostOptions SOON = PostOptions.NONE.withDeadlineMs(500);

    private ZoidWorld world = new ZoidWorld();
    private final long seed = Long.getLong("jbmi.hostile.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @AfterEach
    void close() {
        world.close();
    }

    // With "socket" it is a remote client that must not notice.
    private Pair begin(String setup) {
        System.out.println("HostileMemoryTest " + setup + " -Djbmi.hostile.seed=" + seed);
        world.close();
        boolean isSocket = setup.equals("socket");
        world = new ZoidWorld(isSocket ? "daemon" : setup);
        world.daemonKnob("zbmi.maxClients", "1000");
        if (isSocket) {
            world.daemonKnob("zbmi.gatewayPort", "0");
        }
        if (!setup.equals("embedded")) {
            world.startDaemon();
        }
        Bmi server = world.server();
        Bmi client = isSocket ? world.socketClient() : world.client();
        return Pair.of(server, server.openContext(), client);
    }

    private boolean isFound() {
        return world.hostCount("zbmi.faults") > 0 && world.hostCount("zbmi.sessions.evictions") > 0;
    }

    private boolean isHealthy() {
        return world.daemon() == null || world.daemon().isHealthy();
    }

    @ParameterizedTest
    @ValueSource(strings = {"daemon", "direct", "embedded", "socket"})
    void aHostileClientIsEvictedAndHurtsNobodyElse(String setup) throws Exception {
        Pair pair = begin(setup);
        // On a busy machine a client may be gone before the engine sees what it has written.
        for (int round = 0; round < CLIENT_ROUNDS || !isFound() && round < MOST_ROUNDS; round++) {
            HostileClient hostile = new HostileClient(world, random.nextLong());
            Thread attack = Thread.ofPlatform().daemon().start(hostile);
            for (int i = 0; i < EXCHANGES || attack.isAlive(); i++) {
                pair.exchange(1_000_000 + i, 1 + random.nextInt(50_000));
                answerStrangers(pair);
            }
            attack.join();
            assertThat(hostile.failure()).isNull();
            assertThat(isHealthy()).as("round " + round).isTrue();
        }
        assertThat(world.hostCount("zbmi.faults")).isPositive();
        assertThat(world.hostCount("zbmi.sessions.evictions")).isPositive();
        pair.exchange(3, 100_000);
        // The server takes the garbage for what it is as well.
        pair.server().free(pair.toClient().allocate(4 << 20));
    }

    // The server has business with the hostile one too, so that there are grants to be damaged.
    private void answerStrangers(Pair pair) {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(16);
        Completions done = Completions.ofCapacity(64);
        int count = pair.server().testUnexpected(messages, 0);
        for (int i = 0; i < count; i++) {
            PeerAddress stranger = messages.peer(i);
            for (int tag = 0; tag < 4; tag++) {
                MemorySegment small = MemorySegment.ofArray(new byte[100]);
                pair.serverContext().postReceive(stranger, small, tag, null, SOON);
                pair.serverContext().postSend(stranger, small, tag, null, SOON);
            }
            messages.free(i);
        }
        pair.serverContext().testContext(done, 0);
    }

    /** Another process may have broken its lane; its own proves nothing while it lives. */
    @ParameterizedTest
    @ValueSource(strings = {"daemon", "embedded"})
    void aClientThatIsEvictedAndLivesLetsGoOfItsSessionAndComesAgain(String setup)
            throws Exception {
        Pair pair = begin(setup);
        MemorySegment room = MemorySegment.ofArray(new byte[100]);
        long receive = pair.clientContext().postReceive(pair.toServer(), room, 1);
        Completions done = Completions.ofCapacity(1);
        try (PeerAttachment hostile = HostileView.attach(world)) {
            HostileView.breakLaneBefore(hostile);
            assertThat(pair.clientContext().test(receive, done, 20_000)).isEqualTo(1);
            assertThat(done.outcome(0)).isEqualTo(ErrorCode.EHOSTDOWN);
            assertThat(world.hostCount("zbmi.sessions.evictions")).isEqualTo(1);
            ZoidWorld.await(
                    "its session is free",
                    20_000,
                    () -> {
                        pair.clientContext().testContext(done, 0);
                        return world.hostCount("zbmi.sessions.quarantined") == 0;
                    });
        }
        MemorySegment hello = MemorySegment.ofArray(new byte[8]);
        long again = pair.clientContext().postSendUnexpected(pair.toServer(), hello, 2);
        assertThat(pair.clientContext().await(again, 10_000)).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"daemon", "direct", "embedded"})
    void clientsThatComeLaterDoNotLookRemoteBecauseOfOneThatLeft(String setup) {
        Pair pair = begin(setup);
        try (PeerAttachment hostile = HostileView.attach(world)) {
            SegmentMap map = hostile.map();
            for (int i = 1; i <= map.geometry().maxClients(); i++) {
                map.session(i).markRelayed(hostile.memory(), Integer.MAX_VALUE);
            }
        }
        Pair later = Pair.of(pair.server(), pair.serverContext(), world.client());
        assertThat(later.toClient().isOwnUser()).isTrue();
    }

    /** Its blocks stay readable until it is closed, so its close is what frees the session. */
    @Test
    void aServerThatIsEvictedMayBeClosedAndOpenedAgain() {
        Pair pair = begin("daemon");
        MemorySegment room = MemorySegment.ofArray(new byte[100]);
        long receive = pair.serverContext().postReceive(pair.toClient(), room, 1);
        Completions done = Completions.ofCapacity(1);
        try (PeerAttachment hostile = HostileView.attach(world)) {
            HostileView.breakLaneOfSecondLast(hostile);
            assertThat(pair.serverContext().test(receive, done, 20_000)).isEqualTo(1);
            assertThat(done.outcome(0)).isEqualTo(ErrorCode.EHOSTDOWN);
            assertThat(world.hostCount("zbmi.sessions.evictions")).isEqualTo(1);
        }
        pair.serverContext().testContext(done, 0);
        pair.server().close();
        Bmi next = world.server();
        MemorySegment hello = MemorySegment.ofArray(new byte[8]);
        pair.clientContext().postSendUnexpected(pair.toServer(), hello, 2);
        assertThat(next.testUnexpected(UnexpectedMessages.ofCapacity(1), 20_000)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"daemon", "direct", "embedded"})
    void aListThatIsChangedWhileItIsUsedIsAnErrorAtMost(String setup) throws Exception {
        Pair pair = begin(setup);
        AtomicBoolean isOver = new AtomicBoolean();
        Set<ErrorCode> ends = EnumSet.noneOf(ErrorCode.class);
        MemorySegment one = pair.toClient().allocate(60_000);
        MemorySegment two = pair.toClient().allocate(60_000);
        MemorySegment[] list = {one, two};
        MemorySegment out = MemorySegment.ofArray(new byte[120_000]);
        try (PeerAttachment hostile = HostileView.attach(world)) {
            SegmentMap map = hostile.map();
            SharedMemory memory = hostile.memory();
            FutureTask<Integer> attack = new FutureTask<>(() -> scribble(memory, map, isOver), 0);
            Thread.ofPlatform().daemon().start(attack);
            for (int i = 0; i < LISTS || !isWrongFound(ends) && i < MOST_LISTS; i++) {
                long receive =
                        pair.serverContext()
                                .postReceiveList(pair.toClient(), list, 120_000, i, null, SOON);
                long send = pair.clientContext().postSend(pair.toServer(), out, i, null, SOON);
                ends.add(ended(pair.clientContext(), send));
                ends.add(ended(pair.serverContext(), receive));
            }
            isOver.set(true);
            attack.get();
        }
        assertThat(ends)
                .as("some list is found to be wrong, at its post or when it is used")
                .containsAnyOf(ErrorCode.EINVAL, ErrorCode.EPROTO)
                .isSubsetOf(LIST_ENDS);
        assertThat(isHealthy()).isTrue();
        pair.exchange(7_000, 50_000);
    }

    private static boolean isWrongFound(Set<ErrorCode> ends) {
        return ends.contains(ErrorCode.EINVAL) || ends.contains(ErrorCode.EPROTO);
    }

    // Not what is lent, which any client may write by right, but the rest of the pool, with lists.
    private void scribble(SharedMemory memory, SegmentMap map, AtomicBoolean isOver) {
        Random own = new Random(seed);
        long start = map.expectedOffset();
        int words = (1 << 20) / Long.BYTES;
        while (!isOver.get()) {
            long at = start + (long) own.nextInt(words) * Long.BYTES;
            memory.setLongPlain(at, HostileView.word(own));
        }
    }

    /** How it ended. */
    private static ErrorCode ended(CompletionContext context, long result) {
        if (!PostResult.isPending(result)) {
            return codeOf(result);
        }
        Completions done = Completions.ofCapacity(1);
        assertThat(context.test(result, done, 20_000)).isEqualTo(1);
        return done.outcome(0);
    }

    private static ErrorCode codeOf(long result) {
        return result < 0 ? PostResult.refusal(result) : ErrorCode.SUCCESS;
    }

    // A server that is the host talks to its engine without lanes, so only a client meets it.
    @ParameterizedTest
    @CsvSource({"daemon,0", "daemon,1", "direct,1", "embedded,1"})
    void aHostileEngineNeitherCrashesNorHangsItsPeers(String setup, int session) throws Exception {
        System.out.println("HostileMemoryTest " + setup + " -Djbmi.hostile.seed=" + seed);
        Set<ErrorCode> ends = EnumSet.noneOf(ErrorCode.class);
        for (int round = 0;
                round < ENGINE_ROUNDS
                        || !ends.contains(ErrorCode.EHOSTDOWN) && round < MOST_ENGINE_ROUNDS;
                round++) {
            try (ZoidWorld own = new ZoidWorld(setup)) {
                if (!setup.equals("embedded")) {
                    own.startDaemon();
                }
                playAgainst(own, session, ends);
            }
        }
        assertThat(ends)
                .as("a peer lets go of a session that is damaged")
                .contains(ErrorCode.EHOSTDOWN)
                .isSubsetOf(ENGINE_ENDS);
    }

    private void playAgainst(ZoidWorld own, int session, Set<ErrorCode> ends) throws Exception {
        Bmi server = own.serverBuilder().knob("zoid.callTimeoutMs", "500").open();
        Bmi client = own.builder().knob("zoid.callTimeoutMs", "500").open();
        Pair pair = Pair.of(server, server.openContext(), client);
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        long attackSeed = random.nextLong();
        Thread attack =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () ->
                                        HostileView.playEngine(
                                                own, session, attackSeed, isOver, failure));
        for (int i = 0; i < ENGINE_EXCHANGES; i++) {
            tryExchange(pair, i, ends);
        }
        isOver.set(true);
        attack.join();
        assertThat(failure.get()).isNull();
        long startNs = System.nanoTime();
        client.close();
        server.close();
        assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs))
                .as("seconds to close")
                .isLessThan(60);
    }

    /** Whatever comes of it, it comes soon; adds how it ended, as far as that is known by then. */
    private static void tryExchange(Pair pair, int tag, Set<ErrorCode> ends) {
        MemorySegment in = MemorySegment.ofArray(new byte[3000]);
        MemorySegment out = MemorySegment.ofArray(new byte[3000]);
        CompletionContext server = pair.serverContext();
        CompletionContext client = pair.clientContext();
        ends.add(codeOf(server.postReceive(pair.toClient(), in, tag, null, SOON)));
        ends.add(codeOf(client.postSend(pair.toServer(), out, tag, null, SOON)));
        Completions done = Completions.ofCapacity(4);
        for (CompletionContext context : List.of(client, server, client, server)) {
            int count = context.testContext(done, 50);
            for (int k = 0; k < count; k++) {
                ends.add(done.outcome(k));
            }
        }
    }
}

package org.jbmi.zoid.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.MessageQueues;
import org.jbmi.zoid.ZoidWorld;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** What every command channel must do: many threads at once, deaths under load, nothing left. */
@Timeout(120)
class CommandChannelTest {
    private static final int CLIENTS = 4;

    /** While nobody serves, clients leave the processors to the successor that starts. */
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final boolean IS_LONG = Boolean.getBoolean("jbmi.long");
    private static final int MORE_SERVER_KILLS = IS_LONG ? 2 : 0;
    private static final int DAEMON_KILLS = IS_LONG ? 2 : 1;

    private final ZoidWorld world = new ZoidWorld();

    @AfterEach
    void close() {
        world.close();
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "servers and daemons are killed under load over these")
    @ValueSource(strings = {"posix-mq", "chronicle"})
    void sixtyFourServerThreadsGetTheirOwnAnswersElsewhereToo(String channel) throws Exception {
        sixtyFourServerThreadsGetTheirOwnAnswers(channel);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ring", "inverted"})
    void sixtyFourServerThreadsGetTheirOwnAnswers(String channel) throws Exception {
        world.daemonKnob("zbmi.commandChannel", channel).startDaemon();
        Bmi server = ChannelChild.openServer(world.directory(), channel);
        List<Future<Integer>> results = new ArrayList<>();
        try (EchoServer echo = new EchoServer(server, 64);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            assertThat(echo).isNotNull();
            for (int i = 0; i < 64; i++) {
                EchoClient client = world.keep(new EchoClient(world.client(), i));
                results.add(threads.submit(() -> exchangeManyTimes(client, 20)));
            }
            for (Future<Integer> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(20);
            }
        }
        assertThat(world.daemonCount("zbmi.faults")).isZero();
    }

    private static int exchangeManyTimes(EchoClient client, int times) {
        int done = 0;
        for (int i = 0; i < times; i++) {
            done += client.exchange() ? 1 : 0;
        }
        return done;
    }

    /** Clients that ask without a pause until the load ends. */
    private static final class Load implements AutoCloseable {
        private final AtomicBoolean isOver = new AtomicBoolean();
        private final AtomicInteger exchanges = new AtomicInteger();
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final List<Future<?>> results = new ArrayList<>();

        Load(ZoidWorld world) {
            for (int i = 0; i < CLIENTS; i++) {
                EchoClient client = new EchoClient(world.client(), i);
                results.add(threads.submit(() -> ask(client)));
            }
        }

        private void ask(EchoClient client) {
            while (!isOver.get()) {
                if (client.exchange()) {
                    exchanges.incrementAndGet();
                } else {
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
            client.close();
        }

        /** Waits for as many exchanges as show that everybody is at work. */
        void awaitMore() {
            int wanted = exchanges.get() + 50 * CLIENTS;
            ZoidWorld.await(
                    "exchanges",
                    30_000,
                    () -> exchanges.get() >= wanted || results.stream().anyMatch(Future::isDone));
        }

        /** Stops asking; fails if a client failed. */
        void end() throws Exception {
            isOver.set(true);
            for (Future<?> result : results) {
                result.get(60, TimeUnit.SECONDS);
            }
        }

        @Override
        public void close() {
            isOver.set(true);
            threads.close();
        }
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "DeathStormTest kills servers over the ring")
    @ValueSource(strings = {"ring", "posix-mq"})
    void aServerKilledUnderLoadLeavesNothingElsewhereToo(String channel) throws Exception {
        aServerKilledUnderLoadLeavesNothing(channel);
    }

    @ParameterizedTest
    @ValueSource(strings = "chronicle")
    void aServerKilledUnderLoadLeavesNothing(String channel) throws Exception {
        world.daemonKnob("zbmi.commandChannel", channel).startDaemon();
        List<String> names = queueNames(world.daemon().segmentFile());
        List<String> before = files(world.runtime());
        ChannelChild first = ChannelChild.start("server", world.directory(), channel);
        try (Load load = new Load(world)) {
            load.awaitMore();
            first.kill();
            for (int i = 0; i < MORE_SERVER_KILLS; i++) {
                ChannelChild next = ChannelChild.start("server", world.directory(), channel);
                load.awaitMore();
                next.kill();
            }
            ChannelChild last =
                    world.keep(ChannelChild.start("server", world.directory(), channel));
            load.awaitMore();
            assertNoQueue(names);
            load.end();
            last.kill();
            // The segment and the runtime directory; a folder of the channel goes with its session.
            ZoidWorld.await("no folder", 20_000, () -> names(world.directory()).size() == 2);
        }
        assertThat(world.daemonCount("zbmi.faults")).isZero();
        assertNoQueue(names);
        assertThat(files(world.runtime())).containsExactlyInAnyOrderElementsOf(before);
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "DeathStormTest kills daemons over the ring")
    @ValueSource(strings = {"ring", "chronicle"})
    void aDaemonKilledUnderLoadLeavesNothingElsewhereToo(String channel) throws Exception {
        aDaemonKilledUnderLoadLeavesNothingToItsSuccessor(channel);
    }

    @ParameterizedTest
    @ValueSource(strings = "posix-mq")
    void aDaemonKilledUnderLoadLeavesNothingToItsSuccessor(String channel) throws Exception {
        List<String> names = new ArrayList<>();
        ChannelChild daemon = ChannelChild.start("daemon", world.directory(), channel);
        ChannelChild server = ChannelChild.start("server", world.directory(), channel);
        try (Load load = new Load(world)) {
            for (int i = 0; i < DAEMON_KILLS; i++) {
                load.awaitMore();
                names.addAll(queueNames(segmentIn(world.directory())));
                daemon.kill();
                server.kill();
                daemon = ChannelChild.start("daemon", world.directory(), channel);
                server = ChannelChild.start("server", world.directory(), channel);
            }
            load.awaitMore();
            load.end();
        } finally {
            server.close();
            daemon.close();
        }
        assertNoQueue(names);
        world.startDaemon();
        world.stopDaemon();
        assertNoQueue(names);
        assertThat(files(world.directory())).containsExactly("run");
        assertThat(files(world.runtime())).containsExactly("daemon.lock");
    }

    private static Path segmentIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> String.valueOf(file.getFileName()).startsWith("zbmi-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static List<String> names(Path directory) {
        try {
            return files(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> String.valueOf(file.getFileName())).toList();
        }
    }

    /** The names that the queues of a daemon can have had. */
    private static List<String> queueNames(Path segmentFile) {
        String[] parts = String.valueOf(segmentFile.getFileName()).split("-");
        long pid = Long.parseLong(parts[1]);
        List<String> names = new ArrayList<>();
        try (SharedSegment segment = SharedSegment.open(segmentFile)) {
            String prefix = "/zbmi-" + pid + "-" + Long.toHexString(segment.generation()) + "-";
            names.add(prefix + "c");
            names.add(prefix + "e");
            for (int i = 0; i < 64; i++) {
                names.add(prefix + "r" + i);
            }
        }
        return names;
    }

    private static void assertNoQueue(List<String> names) {
        for (String name : names) {
            assertThat(MessageQueues.open(name, MessageQueues.End.SEND))
                    .as(name)
                    .isEqualTo(-Errno.ENOENT);
        }
    }

    @Test
    void queuesThatAKilledDaemonHadJustMadeAreSwept() throws Exception {
        Path segment;
        List<String> names;
        try (ChannelChild daemon = ChannelChild.start("daemon", world.directory(), "posix-mq")) {
            segment = segmentIn(world.directory());
            names = queueNames(segment);
            int queue = MessageQueues.create(names.get(0), MessageQueues.End.SEND, 2, 120);
            MessageQueues.close(queue);
            // Those of the living are left alone.
            try (ZoidWorld other = new ZoidWorld()) {
                other.daemonKnob("zbmi.segmentDirectory", world.directory().toString());
                other.startDaemon();
            }
            int still = MessageQueues.open(names.get(0), MessageQueues.End.SEND);
            assertThat(still).isNotNegative();
            MessageQueues.close(still);
            assertThat(daemon.pid()).isPositive();
        }
        world.startDaemon();
        assertNoQueue(names);
        assertThat(segment).doesNotExist();
    }

    @Test
    void aDaemonThatWasToldItsChannelTakesNoOther() {
        world.daemonKnob("zbmi.commandChannel", "posix-mq").startDaemon();
        assertThatThrownBy(() -> world.server())
                .isInstanceOfSatisfying(
                        BmiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.EPROTONOSUPPORT))
                .hasMessageContaining("zoid.commandChannel=posix-mq");
    }

    @Test
    void aDaemonThatWasToldItsChannelLendsNoMemory() {
        world.daemonKnob("zbmi.commandChannel", "ring").startDaemon();
        assertThatThrownBy(
                        () -> world.builder().knob("zoid.host", "direct").listen("zoid://").open())
                .isInstanceOfSatisfying(
                        BmiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.EPROTONOSUPPORT))
                .hasMessageContaining("zoid.host=daemon")
                .hasMessageContaining("zoid.commandChannel=ring");
    }

    @Test
    void aChannelThatIsNotThereIsRefusedOnBothSides() {
        world.daemonKnob("zbmi.commandChannel", "pigeons");
        assertThatThrownBy(world::startDaemon)
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("pigeons")
                .hasMessageContaining("ring, posix-mq");
        world.daemonKnob("zbmi.commandChannel", "any").startDaemon();
        assertThatThrownBy(
                        () ->
                                world.builder()
                                        .knob("zoid.host", "daemon")
                                        .knob("zoid.commandChannel", "pigeons")
                                        .listen("zoid://")
                                        .open())
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("There is no command channel \"pigeons\"");
    }

    private BmiException refusal(String... knobs) {
        BmiBuilder builder = world.builder().listen("zoid://");
        for (int i = 0; i < knobs.length; i += 2) {
            builder.knob(knobs[i], knobs[i + 1]);
        }
        return catchThrowableOfType(BmiException.class, () -> builder.open().close());
    }

    @Test
    void whoAsksForAChannelHasNoEngineOfItsOwn() {
        BmiException nobody = refusal("zoid.commandChannel", "ring", "zoid.attachTimeoutMs", "0");
        assertThat(nobody.code()).as("without a daemon").isEqualTo(ErrorCode.ENETDOWN);
        for (String host : List.of("embedded", "direct")) {
            assertThat(refusal("zoid.commandChannel", "ring", "zoid.host", host))
                    .hasMessageContaining("zoid.host=" + host)
                    .hasMessageContaining("zoid.host=daemon")
                    .extracting(BmiException::code)
                    .isEqualTo(ErrorCode.EINVAL);
        }
        assertThat(refusal("zoid.commandChannel", "pigeons", "zoid.host", "embedded"))
                .hasMessageContaining("There is no command channel \"pigeons\"");
    }

    @Test
    void aServerThatLeavesTheHostOpenAsksSuchADaemonForItsChannel() {
        world.daemonKnob("zbmi.commandChannel", "posix-mq").startDaemon();
        assertThat(refusal())
                .hasMessageContaining("zoid.commandChannel=posix-mq")
                .extracting(BmiException::code)
                .isEqualTo(ErrorCode.EPROTONOSUPPORT);
        assertThat(refusal("zoid.commandChannel", "posix-mq")).isNull();
    }
}

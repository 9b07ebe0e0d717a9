package org.jbmi.testsuite.cases.peer;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.Amount;
import org.jbmi.testsuite.Broker;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.ConformanceFailure;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.EnvironmentSettings.BrokerPlace;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Peer;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.PeerLife;
import org.jbmi.testsuite.cases.common.Pool;

import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

/** What stands between the peers: its beginning (groups A and E), and its end (group R). */
public final class BrokerCases {
    private static final long NS_PER_MS = 1_000_000;
    private static final Path TMPFS = Path.of("/dev/shm");
    private static final long POOL_LIMIT = 100L << 30;

    private BrokerCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        Capability broker = Capability.BROKER;
        list.group('A')
                .add(10, "server before its daemon", 60, BrokerCases::serverFirst, broker)
                .add(
                        11,
                        "leftovers of a crashed server",
                        60,
                        BrokerCases::afterCrash,
                        Capability.SINGLE_SERVER,
                        Capability.PROCESSES)
                .add(13, "sizes of the pool", BrokerCases::sizes, Capability.SEGMENT_FILE)
                .add(14, "server closes with registered operations", BrokerCases::serverFinishes);
        list.group('E')
                .add(
                        61,
                        "segment that does not fit",
                        BrokerCases::doesNotFit,
                        Capability.SEGMENT_FILE);
        list.group('R')
                .add(231, "daemon killed", 60, BrokerCases::killed, broker)
                .add(232, "daemon killed and started again", 60, BrokerCases::restarted, broker)
                .add(233, "leftovers of a killed daemon", 60, BrokerCases::leftovers, broker)
                .add(318, "daemon ended in good order", 60, BrokerCases::stopped, broker);
    }

    private static void serverFirst(Scene scene) throws Exception {
        scene.settings(EnvironmentSettings.DEFAULT.withBroker(BrokerPlace.NOT_STARTED));
        String knob = Objects.requireNonNull(scene.fixture().brokerWaitKnob());
        long startNs = System.nanoTime();
        try {
            scene.newServer(0, builder -> builder.knob(knob, "300"));
            throw new ConformanceFailure("A server opened without its daemon.");
        } catch (BmiException e) {
            Expect.that(
                    e.code() == ErrorCode.ENETDOWN || e.code() == ErrorCode.ETIMEDOUT,
                    "the code says that nobody is there: " + e);
        }
        Expect.that(
                System.nanoTime() - startNs > 250 * NS_PER_MS, "it waited as long as it was told");
        FutureTask<Bmi> opening =
                scene.inThread(
                        "opening", () -> scene.server(builder -> builder.knob(knob, "20000")));
        Thread.sleep(100);
        Expect.that(!opening.isDone(), "the server waits for the daemon");
        scene.broker().start();
        opening.get();
        Link link = scene.link();
        Exchange.bothOrders(scene, link.client(), link.server(), 1000);
    }

    private static void afterCrash(Scene scene) {
        Peer peer = scene.peer();
        peer.ask("server");
        Bmi client = scene.newClient();
        End up = new End(client, scene.environment().serverAddress(0));
        Posted hello = up.sendUnexpected(scene.buffer(8), 5, 0);
        peer.ask("meet");
        hello.succeeds(8);
        peer.ask("receive 1 100000");
        peer.kill();
        Link link = PeerLife.linkWithNewServer(scene, client);
        Exchange.bothOrders(scene, link.client(), link.server(), 100_000);
    }

    private static void sizes(Scene scene) {
        scene.settings(
                EnvironmentSettings.DEFAULT.withPool(Pool.BYTES).withUnexpectedMemory(1L << 20));
        Link link = scene.link();
        Expect.equal(scene.environment().serverPoolBytes(), Pool.BYTES, "the pool");
        Pool.expectWhole(scene, link.server());
        MemorySegment more = link.server().peer().allocate(Pool.BYTES + 4096);
        Expect.that(more == null, "nothing of the unexpected part is given out");
    }

    private static void serverFinishes(Scene scene, Link link) {
        End client = link.client();
        Exchange.bothOrders(scene, client, link.server(), 1000);
        for (int tag = 0; tag < 20; tag++) {
            link.server().receive(scene.buffer(100_000), tag);
        }
        List<Posted> pending = new ArrayList<>();
        pending.add(client.receive(scene.buffer(50_000), 55));
        pending.add(client.receiveList(halves(scene.buffer(60_000)), 56));
        if (!scene.can(Capability.LOCAL_SENDS)) {
            pending.add(client.send(scene.pattern(100_000, 1), 77));
            pending.add(client.send(scene.pattern(10, 1), 78));
            pending.add(client.sendList(halves(scene.pattern(90_000, 2)), 79));
        }
        pending.forEach(Posted::staysPending);
        scene.leavesThingsBehind();
        link.server().bmi().close();
        for (Posted operation : pending) {
            operation.fails(ErrorCode.EPIPE);
        }
        if (scene.can(Capability.OUTLIVES_SERVER)) {
            nextServerFinds(scene, client);
        }
    }

    private static MemorySegment[] halves(MemorySegment whole) {
        long half = whole.byteSize() / 2;
        return new MemorySegment[] {whole.asSlice(0, half), whole.asSlice(half)};
    }

    private static void nextServerFinds(Scene scene, End client) {
        MemorySegment in = scene.buffer(50_000);
        Posted receive = client.receive(in, 55);
        Posted orphan = client.send(scene.pattern(100_000, 1), 3);
        receive.staysPending();
        orphan.staysPending();
        Link next = PeerLife.linkWithNewServer(scene, client.bmi());
        MemorySegment out = scene.pattern(50_000, 2);
        Exchange.check(next.server().send(out, 55), receive, out, in);
        orphan.cancelled();
    }

    /** The file system refuses, and not the bound of a knob. */
    private static void doesNotFit(Scene scene) throws Exception {
        long room = Files.isDirectory(TMPFS) ? Files.getFileStore(TMPFS).getTotalSpace() : 0;
        if (room == 0 || room > POOL_LIMIT) {
            throw Scene.skip(
                    "There is no tmpfs at " + TMPFS + " that a pool could be too large for.");
        }
        Path directory = Files.createTempDirectory(TMPFS, "case61-");
        try {
            EnvironmentSettings settings =
                    EnvironmentSettings.DEFAULT
                            .withPool(room + (1L << 20))
                            .withSegmentDirectory(directory.toString());
            Expect.refusal(
                    ErrorCode.ENOSPC, () -> open(scene, settings), "a segment that does not fit");
            try (Stream<Path> files = Files.list(directory)) {
                Expect.equal(files.toList(), List.of(), "the files that are left");
            }
        } finally {
            Files.delete(directory);
        }
    }

    private static void open(Scene scene, EnvironmentSettings settings) {
        try (Environment environment = scene.fixture().open(settings);
                Bmi server = environment.serverBuilder(0).open()) {
            throw new ConformanceFailure("A server has opened: " + server.isClosed());
        } catch (BmiException | ConformanceFailure e) {
            throw e;
        } catch (Exception e) {
            throw new ConformanceFailure("It is refused with something else: " + e);
        }
    }

    private static Link ownProcess(Scene scene) {
        scene.settings(EnvironmentSettings.DEFAULT.withBroker(BrokerPlace.OWN_PROCESS));
        return scene.link();
    }

    private static void killed(Scene scene) {
        expectEnds(scene, ownProcess(scene), Broker::kill);
    }

    private static void stopped(Scene scene) {
        expectEnds(scene, ownProcess(scene), Broker::stop);
    }

    /** How the broker ends. Then every operation fails, and later ones are refused. */
    private interface Ending {
        void of(Broker broker);
    }

    private static void expectEnds(Scene scene, Link link, Ending ending) {
        Exchange.bothOrders(scene, link.client(), link.server(), 100_000);
        MemorySegment block = Scene.memalloc(link.server(), 1000);
        Posted[] pending = {
            link.server().receive(block, 1),
            link.server().receive(scene.buffer(10), 2),
            link.client().receive(scene.buffer(10), 3),
            link.client().send(scene.buffer(10), 4),
            link.client().send(scene.buffer(100_000), 5)
        };
        ending.of(scene.broker());
        for (Posted operation : pending) {
            operation.fails(ErrorCode.EHOSTDOWN);
        }
        link.client().receive(scene.buffer(10), 9).fails(ErrorCode.EHOSTDOWN);
        Posted late = link.server().receive(scene.buffer(10), 9);
        expectRefused(late);
        block.fill((byte) 1);
        link.server().bmi().free(block);
    }

    private static void expectRefused(Posted post) {
        Posted.finish(post);
        // A sender that nobody refers to is forgotten when it is gone.
        Expect.that(
                post.error() == ErrorCode.EHOSTDOWN.negativeValue()
                        || post.error() == ErrorCode.EPROTO.negativeValue(),
                "a post to a peer that is gone is refused");
    }

    private static void restarted(Scene scene) {
        Link link = ownProcess(scene);
        Exchange.bothOrders(scene, link.client(), link.server(), 1000);
        for (int round = 0; round < scene.amount(Amount.RESTARTS); round++) {
            scene.broker().kill();
            PeerLife.expectGone(scene, link.server());
            scene.broker().start();
            Posted stale = link.server().receive(scene.buffer(10), 1);
            expectRefused(stale);
            link.server().bmi().close();
            Bmi server = scene.newServer(0, builder -> {});
            PeerLife.awaitServer(scene, link.client(), server);
            link = scene.link(server, scene.environment().serverAddress(0), link.client().bmi());
            Exchange.bothOrders(scene, link.client(), link.server(), 100_000);
            Exchange.bothOrders(scene, link.server(), link.client(), 100_000);
        }
    }

    private static void leftovers(Scene scene) {
        Link link = ownProcess(scene);
        Broker broker = scene.broker();
        Expect.refusal(ErrorCode.EBUSY, broker::start, "the start beside a living daemon");
        Exchange.bothOrders(scene, link.client(), link.server(), 1000);
        broker.kill();
        link.client().bmi().close();
        link.server().bmi().close();
        broker.start();
        Link next =
                scene.link(
                        scene.newServer(0, builder -> {}),
                        scene.environment().serverAddress(0),
                        scene.newClient());
        Exchange.bothOrders(scene, next.client(), next.server(), 1000);
    }
}

package org.jbmi.testsuite.cases.peer;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Amount;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
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

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.FutureTask;

/** Group R: peers in processes of their own that are killed, stopped and interrupted. */
public final class DeathCases {
    private static final int LARGE = 4 << 20;
    private static final Set<ErrorCode> GONE =
            Set.of(ErrorCode.EHOSTDOWN, ErrorCode.ECONNRESET, ErrorCode.EPIPE);

    private DeathCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        Capability own = Capability.PROCESSES;
        list.group('R')
                .add(227, "client killed with pending operations", 60, DeathCases::pending, own)
                .add(228, "client killed in a transfer", 90, DeathCases::inTransfer, own)
                .add(229, "client killed anywhere", 90, DeathCases::anywhere, own)
                .add(230, "server killed", 60, DeathCases::server, own)
                .add(234, "Ctrl-C in a client", 60, DeathCases::interrupted, own)
                .add(241, "process stopped for a while", 60, DeathCases::stopped, own)
                .add(242, "long pause of everybody", 60, DeathCases::pauses, own)
                .add(321, "messages of a killed client", 60, DeathCases::lastMessages, own)
                .add(322, "client killed while it is stopped", 60, DeathCases::killedStopped, own);
    }

    /** A client in a process of its own that the server of the scene has met. */
    private static End meet(Scene scene, Peer peer) {
        Bmi server = scene.server();
        peer.ask("client");
        peer.tell("hello 77");
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        Expect.equal(server.testUnexpected(messages, 20_000), 1, "messages of the process");
        Expect.equal(messages.tag(0), 77, "the tag of its message");
        PeerAddress address = messages.peer(0);
        address.retain(); // one that nobody refers to is forgotten when it goes
        messages.free(0);
        peer.reply();
        return new End(server, address);
    }

    private static void expectGone(Posted operation, String what) {
        Posted.finish(operation);
        ErrorCode code = operation.error() == 0 ? null : ErrorCode.of(operation.error());
        Expect.that(code != null && GONE.contains(code), what + " fails, not " + code);
        Expect.equal(operation.sizeBytes(), 0, "the size reported with the failure");
    }

    private static void exchange(Scene scene, Link link) {
        Exchange.bothOrders(scene, link.client(), link.server(), 1000);
        Exchange.bothOrders(scene, link.server(), link.client(), 100_000);
    }

    private static void pending(Scene scene) {
        Link other = scene.link();
        Peer peer = scene.peer();
        End dying = meet(scene, peer);
        peer.ask("receive 9 1000");
        Posted[] operations = {
            dying.receive(scene.buffer(100), 1), dying.receive(scene.buffer(LARGE), 2)
        };
        Posted bystander = other.server().receive(scene.buffer(50), 3);
        peer.kill();
        for (Posted operation : operations) {
            expectGone(operation, "an operation with the killed client");
        }
        bystander.staysPending();
        exchange(scene, other);
        PeerLife.expectGone(scene, dying);
        MemorySegment out = scene.pattern(50, 1);
        Posted send = other.client().send(out, 3);
        Posted.finish(send, bystander);
        bystander.succeeds(50);
    }

    /** Kills a process within some milliseconds. */
    private static FutureTask<Integer> killer(Scene scene, Peer peer, int withinMs) {
        int afterMs = scene.random().nextInt(withinMs);
        return scene.inThread(
                "killer",
                () -> {
                    Thread.sleep(afterMs);
                    peer.kill();
                    return 0;
                });
    }

    private static void inTransfer(Scene scene) throws Exception {
        Link other = scene.link();
        for (int round = 0; round < scene.amount(Amount.KILLED_IN_TRANSFER); round++) {
            Peer peer = scene.peer();
            End dying = meet(scene, peer);
            MemorySegment in = Scene.memalloc(dying, LARGE);
            MemorySegment expected = scene.pattern(LARGE, 5);
            peer.tell("pump 5 " + LARGE);
            dying.receive(in, 5).succeeds(LARGE);
            var killer = killer(scene, peer, 15);
            Posted receive;
            do {
                in.fill((byte) 0);
                receive = dying.receive(in, 5);
                Posted.finish(receive);
                if (receive.error() == 0) {
                    Expect.bytes(in, expected, "a message that was reported");
                }
            } while (receive.error() == 0);
            expectGone(receive, "the receive in which the client was killed");
            killer.get();
            dying.bmi().free(in);
            exchange(scene, other);
        }
    }

    private static void anywhere(Scene scene) throws Exception {
        Link other = scene.link();
        for (int round = 0; round < scene.amount(Amount.KILLED_ANYWHERE); round++) {
            Peer peer = scene.peer();
            End dying = meet(scene, peer);
            peer.tell("echo 5 2000");
            MemorySegment out = scene.pattern(2000, round);
            MemorySegment in = scene.buffer(2000);
            var killer = killer(scene, peer, 40);
            Posted last;
            do {
                Posted send = dying.send(out, 5);
                Posted receive = dying.receive(in, 5);
                Posted.finish(send, receive);
                last = receive;
                if (receive.error() == 0) {
                    Expect.bytes(in, out, "the echo");
                }
            } while (last.error() == 0);
            expectGone(last, "the receive in which the client was killed");
            killer.get();
            exchange(scene, other);
        }
    }

    private static void server(Scene scene) {
        Peer first = scene.peer();
        first.ask("server");
        Bmi client = scene.newClient();
        End up = meetServer(scene, first, client);
        Posted[] operations = {
            up.receive(scene.buffer(100), 1), up.receive(scene.buffer(LARGE), 2)
        };
        first.kill();
        for (Posted operation : operations) {
            expectGone(operation, "an operation with the killed server");
        }
        Link next = PeerLife.linkWithNewServer(scene, scene.newClient());
        exchange(scene, next);
    }

    private static End meetServer(Scene scene, Peer peer, Bmi client) {
        End up = new End(client, scene.environment().serverAddress(0));
        peer.tell("meet");
        up.sendUnexpected(scene.buffer(8), 1, 0).succeeds(8);
        peer.reply();
        return up;
    }

    private static void interrupted(Scene scene) {
        Link other = scene.link();
        Peer peer = scene.peer();
        End dying = meet(scene, peer);
        Posted receive = dying.receive(scene.buffer(100), 1);
        peer.ask("receive 9 1000");
        peer.tell("wait 60000");
        exchange(scene, other);
        peer.interrupt();
        expectGone(receive, "the operation with the interrupted client");
        exchange(scene, other);
    }

    private static void stopped(Scene scene) {
        Link other = scene.link();
        Peer peer = scene.peer();
        End sleeping = meet(scene, peer);
        peer.ask("receive 5 100000");
        peer.ask("send 6 1000");
        peer.tell("outcomes");
        Posted untouched = sleeping.receive(scene.buffer(10), 8);
        peer.stop();
        MemorySegment out = scene.pattern(100_000, 5);
        MemorySegment in = scene.buffer(1000);
        Posted send = sleeping.send(out, 5);
        Posted receive = sleeping.receive(in, 6);
        long endNs = System.nanoTime() + scene.amount(Amount.STOP_MS) * 1_000_000L;
        while (System.nanoTime() - endNs < 0) {
            exchange(scene, other);
            untouched.isDone(20);
        }
        untouched.staysPending();
        peer.cont();
        Posted.finish(send, receive);
        send.succeeds(100_000);
        receive.succeeds(1000);
        Expect.bytes(in, scene.pattern(1000, 6), "what the stopped process had sent");
        Expect.equal(peer.reply(), "100000 1000", "what the stopped process saw");
        untouched.cancelled();
    }

    private static void pauses(Scene scene) throws Exception {
        if (scene.can(Capability.BROKER)) {
            scene.settings(EnvironmentSettings.DEFAULT.withBroker(BrokerPlace.OWN_PROCESS));
        }
        Peer server = scene.peer();
        server.ask("server");
        Bmi client = scene.newClient();
        End up = meetServer(scene, server, client);
        server.ask("receive 1 5000");
        server.ask("send 2 7000");
        server.tell("outcomes");
        server.stop();
        if (scene.can(Capability.BROKER)) {
            Peer.signal(scene.broker().processId(), "STOP");
        }
        MemorySegment in = scene.buffer(7000);
        var posting =
                scene.inThread(
                        "client",
                        () -> {
                            Posted send = up.send(scene.pattern(5000, 1), 1);
                            Posted receive = up.receive(in, 2);
                            Posted.finish(send, receive);
                            send.succeeds(5000);
                            receive.succeeds(7000);
                            return 0;
                        });
        Thread.sleep(scene.amount(Amount.PAUSE_MS));
        if (scene.can(Capability.BROKER)) {
            Peer.signal(scene.broker().processId(), "CONT");
        }
        server.cont();
        posting.get();
        Expect.bytes(in, scene.pattern(7000, 2), "what came after the pause");
        Expect.equal(server.reply(), "5000 7000", "what the server saw");
        client.close();
        server.ask("close");
    }

    private static void lastMessages(Scene scene) {
        Bmi server = scene.server();
        Peer peer = scene.peer();
        peer.ask("client");
        for (int tag = 1; tag <= 5; tag++) {
            peer.ask("hello " + tag);
        }
        UnexpectedMessages first = next(server);
        UnexpectedMessages second = next(server);
        peer.kill();
        End dead = new End(server, first.peer(0));
        PeerLife.expectGone(scene, dead);
        for (int tag = 3; tag <= 5; tag++) {
            UnexpectedMessages last = next(server);
            Expect.equal(last.tag(0), tag, "the tag of a message of the dead");
            Expect.bytes(last.payload(0), scene.pattern(8, tag), "its bytes");
            last.free(0);
        }
        Expect.bytes(second.payload(0), scene.pattern(8, 2), "a message held over the death");
        first.free(0);
        second.free(0);
        exchange(scene, scene.link());
    }

    private static UnexpectedMessages next(Bmi server) {
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        Expect.equal(server.testUnexpected(one, 20_000), 1, "messages that come");
        return one;
    }

    private static void killedStopped(Scene scene) {
        Link other = scene.link();
        Peer peer = scene.peer();
        End dying = meet(scene, peer);
        peer.tell("pump 5 " + LARGE);
        MemorySegment in = scene.buffer(LARGE);
        Posted receive = dying.receive(in, 5);
        Posted late = dying.receive(scene.buffer(10), 6);
        peer.stop();
        exchange(scene, other);
        peer.kill();
        Posted.finish(receive);
        if (receive.error() != 0) {
            expectGone(receive, "the receive that was on its way");
        } else {
            receive.succeeds(LARGE);
            Expect.bytes(in, scene.pattern(LARGE, 5), "what the stopped process had sent");
        }
        expectGone(late, "the receive that nobody served");
        exchange(scene, other);
    }
}

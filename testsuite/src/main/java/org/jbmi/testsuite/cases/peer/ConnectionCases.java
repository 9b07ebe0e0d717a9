package org.jbmi.testsuite.cases.peer;

import org.jbmi.Bmi;
import org.jbmi.CancelOutcome;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Peer;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.PeerLife;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Peers that reach each other by connections: group S, and cases of others for such methods. */
public final class ConnectionCases {
    private static final int CONNECT_MS = 5_000;
    private static final int LARGE = 8 << 20;

    /** More than a short message takes at its receiver. */
    private static final int LITTLE = 2048;

    private static final int FLOOD_PARTS = 16;
    private static final int GARBAGE_CONNECTIONS = 40;
    private static final int FEW_DESCRIPTORS = 120;

    /** A server that has taken nothing for so long, while it was asked all the time, is full. */
    private static final long STILL_NS = 100_000_000;

    private ConnectionCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        Capability is = Capability.CONNECTIONS;
        list.group('B').add(20, "host that does not resolve", 60, ConnectionCases::noHost, is);
        list.group('H').add(100, "limit of unexpected messages", ConnectionCases::limit, is);
        list.group('I').add(128, "flood that nobody takes", 60, ConnectionCases::flood, is);
        list.group('O')
                .add(204, "cancel of a send not begun", 60, ConnectionCases::cancelNotBegun, is)
                .add(205, "cancel of a send under way", 60, ConnectionCases::cancelUnderWay, is);
        list.group('R')
                .add(235, "nobody listens", 60, ConnectionCases::nobody, is)
                .add(237, "garbage from the network", 60, ConnectionCases::garbage, is)
                .add(
                        238,
                        "no descriptors left",
                        60,
                        ConnectionCases::noDescriptors,
                        is,
                        Capability.PROCESSES)
                .add(239, "two servers connect at once", ConnectionCases::serversMeet, is);
        list.group('S')
                .add(244, "bound to one interface", ConnectionCases::bound, is)
                .add(245, "forceful cancel", 60, ConnectionCases::forceful, is)
                .add(246, "connection closed by option", 60, ConnectionCases::closed, is);
    }

    private static InetSocketAddress socketAddress(Scene scene, int number) {
        URI uri = URI.create(scene.environment().serverAddress(number));
        return new InetSocketAddress(uri.getHost(), uri.getPort());
    }

    private static End to(Scene scene, String address) {
        Bmi client = scene.newClient();
        return new End(client, address);
    }

    /** The name service is the test's own: it knows no name. */
    private static void noHost(Scene scene) {
        Bmi client = scene.newClient(scene.fixture()::withoutNames);
        String address = scene.fixture().scheme() + "://no-such-host.invalid:4711";
        expectFails(scene, new End(client, address));
    }

    private static void nobody(Scene scene) {
        expectFails(scene, to(scene, scene.environment().serverAddress(1)));
    }

    private static void expectFails(Scene scene, End end) {
        for (Posted operation :
                new Posted[] {
                    // First: a receive after a failed attempt waits for the next attempt.
                    end.receive(scene.buffer(100), 1),
                    end.send(scene.buffer(100), 1),
                    end.sendUnexpected(scene.buffer(100), 1, 0)
                }) {
            Posted.finish(operation);
            Expect.that(operation.error() < 0, "an operation with nobody fails");
        }
    }

    private static void limit(Scene scene) {
        scene.settings(EnvironmentSettings.DEFAULT.withMaxUnexpected(16_384));
        Link link = scene.link();
        MemorySegment out = scene.pattern(16_384, 1);
        Posted send = link.client().sendUnexpected(out, 1, 0);
        UnexpectedMessages one = scene.receiveUnexpected(link.server().bmi(), send);
        Expect.bytes(one.payload(0), out, "the largest unexpected message");
        one.free(0);
        link.client().sendUnexpected(scene.buffer(16_385), 1, 0).isRefused(ErrorCode.EMSGSIZE);
    }

    private static void flood(Scene scene) {
        long memory = 2L << 20;
        int size = 8192;
        int count = 4000;
        scene.settings(EnvironmentSettings.DEFAULT.withUnexpectedMemory(memory));
        Link link = scene.link();
        Bmi server = link.server().bmi();
        List<Posted> sends = new ArrayList<>();
        MemorySegment out = scene.pattern(size, 3);
        for (int i = 0; i < count; i++) {
            sends.add(link.client().sendUnexpected(out, i, 0));
            if (i % 64 == 0) {
                link.server().context().testContext(Completions.ofCapacity(1), 0);
                expectBounded(scene, server, memory);
            }
        }
        for (Posted send : sends) {
            send.isDone(0);
        }
        expectHeldBack(scene, link, sends.getLast(), memory);
        UnexpectedMessages one = UnexpectedMessages.ofCapacity(1);
        int[] next = new int[1];
        // The patience is for a part, so that a slow machine has time for all of it.
        for (int part = 1; part <= FLOOD_PARTS; part++) {
            int goal = count * part / FLOOD_PARTS;
            Expect.eventually(
                    () -> {
                        sends.get(next[0]).isDone(0);
                        sends.getLast().isDone(0);
                        if (server.testUnexpected(one, 1) == 1) {
                            Expect.equal(one.tag(0), next[0], "the tag of the message");
                            Expect.bytes(one.payload(0), out, "its bytes");
                            one.free(0);
                            next[0]++;
                            expectBounded(scene, server, memory);
                        }
                        return next[0] == goal;
                    },
                    goal + " messages of the flood arrive in the end");
        }
        Posted.finish(sends.toArray(new Posted[0]));
    }

    /** The server reads until it takes no more: only then is what it holds all that it may. */
    private static void expectHeldBack(Scene scene, Link link, Posted last, long memory) {
        Bmi server = link.server().bmi();
        Completions none = Completions.ofCapacity(1);
        long heldBytes = -1;
        long changedNs = System.nanoTime();
        while (System.nanoTime() - changedNs < STILL_NS) {
            link.server().context().testContext(none, 0);
            Expect.that(!last.isDone(0), "the sender is held back");
            expectBounded(scene, server, memory);
            long nowBytes = heldBytes(scene, server);
            if (nowBytes != heldBytes) {
                heldBytes = nowBytes;
                changedNs = System.nanoTime();
            }
        }
    }

    private static long heldBytes(Scene scene, Bmi server) {
        return scene.fixture().restCounters().stream()
                .mapToLong(label -> Scene.counter(server, label))
                .sum();
    }

    private static void expectBounded(Scene scene, Bmi server, long bytes) {
        for (String label : scene.fixture().restCounters()) {
            Expect.that(
                    Scene.counter(server, label) <= bytes,
                    label + " stays below " + bytes + ": " + Scene.counter(server, label));
        }
    }

    private static void cancelNotBegun(Scene scene, Link link) {
        MemorySegment large = scene.pattern(LARGE, 1);
        // The server makes no progress, so the first message fills what the system buffers.
        Posted first = link.client().send(large, 1);
        Posted second = link.client().send(scene.pattern(1000, 2), 2);
        Expect.that(first.wasPending() && second.wasPending(), "both are pending");
        Expect.equal(
                link.client().context().cancel(second.result()),
                CancelOutcome.CANCELLED,
                "the cancel of a send of which no byte went");
        second.fails(ErrorCode.ECANCEL);
        MemorySegment in = scene.buffer(LARGE);
        Exchange.check(first, link.server().receive(in, 1), large, in);
        Exchange.bothOrders(scene, link.client(), link.server(), 1000);
        Posted none = link.server().receive(scene.buffer(1000), 2);
        none.staysPending();
        none.cancelled();
    }

    private static void cancelUnderWay(Scene scene, Link link) {
        MemorySegment large = scene.pattern(LARGE, 1);
        Posted send = link.client().send(large, 1);
        send.isDone(20);
        Posted next = link.client().send(scene.pattern(100, 2), 2);
        CancelOutcome outcome = link.client().context().cancel(send.result());
        Expect.equal(outcome, CancelOutcome.REQUESTED, "the cancel of a send under way");
        MemorySegment in = scene.buffer(LARGE);
        Posted receive = link.server().receive(in, 1);
        // What is left of the message goes out while its side is in any call.
        receive.finishBeside(next);
        Exchange.check(send, receive, large, in);
        MemorySegment small = scene.buffer(100);
        Exchange.check(next, link.server().receive(small, 2), scene.pattern(100, 2), small);
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        socket.connect(address, CONNECT_MS);
        return socket;
    }

    private static void garbage(Scene scene) throws IOException {
        Link link = scene.link();
        InetSocketAddress address = socketAddress(scene, 0);
        List<Socket> sockets = new ArrayList<>();
        scene.expectsFaults(link.server().bmi(), GARBAGE_CONNECTIONS);
        long sentBytes = 0;
        try {
            for (int i = 0; i < GARBAGE_CONNECTIONS; i++) {
                Socket socket = connect(address);
                sockets.add(socket);
                byte[] bytes = new byte[i % 4 == 0 ? 10 : 24 + scene.random().nextInt(2000)];
                scene.random().nextBytes(bytes);
                socket.getOutputStream().write(bytes);
                sentBytes += bytes.length;
                if (i % 8 == 0) {
                    socket.shutdownOutput();
                }
                Exchange.bothOrders(scene, link.client(), link.server(), 500);
                expectBounded(scene, link.server().bmi(), sentBytes + LITTLE);
            }
            for (Socket socket : sockets) {
                expectDropped(link, socket);
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        UnexpectedMessages none = UnexpectedMessages.ofCapacity(1);
        Expect.equal(link.server().bmi().testUnexpected(none, 50), 0, "messages from garbage");
        Exchange.bothOrders(scene, link.client(), link.server(), 1000);
    }

    /** The server closes a connection when it looks at it. */
    private static void expectDropped(Link link, Socket socket) throws IOException {
        socket.setSoTimeout(20);
        InputStream in = socket.getInputStream();
        Expect.eventually(
                () -> {
                    link.server().context().testContext(org.jbmi.Completions.ofCapacity(1), 1);
                    return isAtEnd(in);
                },
                "the connection with garbage is dropped");
    }

    private static boolean isAtEnd(InputStream in) {
        try {
            return in.read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static void noDescriptors(Scene scene) throws IOException {
        Peer server = scene.peer(FEW_DESCRIPTORS);
        // A class that is loaded from a folder later would need a descriptor as well.
        server.ask("load");
        server.ask("server");
        Bmi client = scene.newClient();
        End up = new End(client, scene.environment().serverAddress(0));
        server.tell("meet");
        up.sendUnexpected(scene.buffer(8), 1, 0).succeeds(8);
        server.reply();
        List<Socket> sockets = new ArrayList<>();
        try {
            takeDescriptors(scene, server, sockets);
            Posted send = up.send(scene.pattern(1000, 2), 2);
            server.ask("receive 2 1000");
            Expect.equal(server.ask("outcomes"), "1000", "what an old connection brings");
            send.succeeds(1000);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        for (int i = 0; i < 20; i++) {
            server.ask("wait 20");
        }
        End late = to(scene, scene.environment().serverAddress(0));
        server.tell("meet");
        late.sendUnexpected(scene.buffer(8), 3, 0).succeeds(8);
        Expect.equal(server.reply(), "3", "the message of one that came later");
    }

    /** Connects until the server takes no more connections, or more than it can have open. */
    private static void takeDescriptors(Scene scene, Peer server, List<Socket> sockets) {
        try {
            for (int i = 0; i < 2 * FEW_DESCRIPTORS; i++) {
                sockets.add(connect(socketAddress(scene, 0)));
                server.ask("wait 1");
            }
        } catch (IOException e) {
            Expect.that(sockets.size() > 60, "many connections are taken, not " + sockets.size());
        }
    }

    private static void serversMeet(Scene scene) {
        for (int round = 0; round < 5; round++) {
            Bmi[] servers = new Bmi[2];
            End[] ends = new End[2];
            for (int i = 0; i < 2; i++) {
                servers[i] = scene.newServer(i, builder -> {});
            }
            for (int i = 0; i < 2; i++) {
                ends[i] = new End(servers[i], scene.environment().serverAddress(1 - i));
            }
            Posted[] sends = new Posted[2];
            for (int i = 0; i < 2; i++) {
                sends[i] = ends[i].sendUnexpected(scene.pattern(100, i), 10 + i, 0);
            }
            for (int i = 0; i < 2; i++) {
                int from = 1 - i;
                UnexpectedMessages one = scene.receiveUnexpected(servers[i], sends[from]);
                Expect.equal(one.tag(0), 10 + from, "the tag of the other server's message");
                Expect.bytes(one.payload(0), scene.pattern(100, from), "its bytes");
                End back = new End(servers[i], ends[i].context(), one.peer(0));
                one.free(0);
                MemorySegment in = scene.buffer(3000);
                MemorySegment out = scene.pattern(3000, round);
                Exchange.check(back.send(out, 5), ends[from].receive(in, 5), out, in);
            }
            servers[0].close();
            servers[1].close();
        }
    }

    private static void bound(Scene scene) throws IOException {
        scene.server();
        InetSocketAddress address = socketAddress(scene, 0);
        connect(address).close();
        try (Socket other = connect(new InetSocketAddress("127.0.0.2", address.getPort()))) {
            Expect.that(!other.isConnected(), "another interface of this host is refused");
        } catch (IOException e) {
            Expect.that(e.getMessage() != null, "it is refused");
        }
    }

    private static void forceful(Scene scene, Link link) {
        Bmi client = link.client().bmi();
        Option<Boolean> forceful = client.option("BMI_FORCEFUL_CANCEL_MODE", Boolean.class);
        client.setOption(forceful, true);
        Posted receive = link.client().receive(scene.buffer(100), 1);
        Posted other = link.client().receive(scene.buffer(100), 2);
        link.client().context().cancel(receive.result());
        receive.fails(ErrorCode.ECANCEL);
        other.fails(ErrorCode.ECANCEL);
        PeerLife.expectGone(scene, link.server());
        client.setOption(forceful, false);
        Link again = scene.link(client);
        again.client().receive(scene.buffer(100), 1).cancelled();
        Exchange.bothOrders(scene, again.client(), again.server(), 1000);
    }

    private static void closed(Scene scene, Link link) {
        Bmi client = link.client().bmi();
        Posted receive = link.client().receive(scene.buffer(100), 1);
        link.client().peer().drop();
        Posted.finish(receive);
        Expect.that(receive.error() < 0, "what was pending on the connection fails");
        PeerLife.expectGone(scene, link.server());
        Link again = scene.link(client);
        Exchange.bothOrders(scene, again.client(), again.server(), 1000);
    }
}

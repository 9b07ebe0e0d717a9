package org.jbmi.testsuite.cases.peer;

import org.jbmi.Bmi;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Amount;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.RestCheck;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.PeerLife;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

/** Group B: addresses. */
public final class AddressCases {
    private AddressCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('B')
                .add(15, "lookup of a server", AddressCases::lookup)
                .add(16, "same string, same handle", AddressCases::sameHandle)
                .add(17, "malformed addresses", AddressCases::malformed)
                .add(18, "address that is too long", AddressCases::tooLong)
                .add(19, "unknown scheme", AddressCases::unknownScheme)
                .add(21, "reverse lookup", AddressCases::reverseLookup)
                .add(22, "reverse lookup of a sender", AddressCases::reverseLookupOfSender)
                .add(23, "automatic references", AddressCases::automaticReferences)
                .add(24, "a thousand messages, one handle", AddressCases::oneHandle)
                .add(25, "one reference a message", AddressCases::referencePerMessage)
                .add(26, "a release too many", AddressCases::releaseTooMany)
                .add(27, "a drop ends the operations", AddressCases::dropEndsOperations)
                .add(28, "drop, then look up again", AddressCases::dropAndLookup)
                .add(29, "clients come and go", 60, AddressCases::comeAndGo)
                .add(30, "the next client is another peer", AddressCases::nextClient)
                .add(31, "peer of another instance", AddressCases::foreignPeer)
                .add(32, "address ranges", AddressCases::ranges)
                .add(306, "many threads look one string up", AddressCases::concurrentLookup);
    }

    private static void lookup(Scene scene) {
        Bmi server = scene.server();
        Bmi client = scene.newClient();
        PeerAddress peer = client.lookup(scene.environment().serverAddress(0));
        Expect.that(peer.id() > 0, "the handle has a number");
        Expect.equal(peer.scheme(), scene.fixture().scheme(), "the scheme");
        Expect.that(!peer.displayName().isEmpty(), "the handle has a name");
        Link link = scene.link(server, scene.environment().serverAddress(0), client);
        Exchange.bothOrders(scene, link.client(), link.server(), 10);
    }

    private static void sameHandle(Scene scene) {
        scene.server();
        Bmi client = scene.newClient();
        PeerAddress first = client.lookup(scene.environment().serverAddress(0));
        Expect.same(
                client.lookup(scene.environment().serverAddress(0)), first, "the second handle");
        String copy = String.valueOf(scene.environment().serverAddress(0).toCharArray());
        Expect.same(client.lookup(copy), first, "the handle of an equal string");
    }

    private static void malformed(Scene scene) {
        scene.server();
        Bmi client = scene.newClient();
        for (String address : scene.fixture().malformedAddresses()) {
            Expect.refusal(
                    ErrorCode.ENOPROTOOPT,
                    () -> client.lookup(address),
                    "the address \"" + address + "\"");
        }
        Expect.that(
                client.lookup(scene.environment().serverAddress(0)).id() > 0,
                "the right one works");
    }

    private static void tooLong(Scene scene) {
        Bmi client = scene.newClient();
        String longest = scene.fixture().scheme() + "://" + "a".repeat(2049);
        Expect.refusal(ErrorCode.ENAMETOOLONG, () -> client.lookup(longest), "a long address");
    }

    private static void unknownScheme(Scene scene) {
        Bmi client = scene.newClient();
        for (String address : new String[] {"foo://x", "", ":", "://", "nothing", "foo"}) {
            Expect.refusal(
                    ErrorCode.ENOPROTOOPT,
                    () -> client.lookup(address),
                    "the address \"" + address + "\"");
        }
    }

    private static void reverseLookup(Scene scene, Link link) {
        Bmi client = link.client().bmi();
        Expect.equal(
                client.reverseLookup(link.client().peer()),
                Optional.of(scene.environment().serverAddress(0)),
                "the address that was looked up");
        Expect.that(
                !client.reverseLookupUnexpected(link.client().peer()).isEmpty(),
                "the method has a name for a peer that was looked up");
    }

    private static void reverseLookupOfSender(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        PeerAddress sender = link.server().peer();
        Expect.that(server.reverseLookup(sender).isEmpty(), "nobody looked the sender up");
        Expect.that(!server.reverseLookupUnexpected(sender).isEmpty(), "the sender has a name");
        Expect.that(!sender.displayName().isEmpty(), "its handle has one too");
    }

    private static Bmi referenceCounting(Scene scene) {
        return scene.server(builder -> builder.automaticReferences(true));
    }

    private static UnexpectedMessages message(Scene scene, Bmi server, End client) {
        Posted send = client.sendUnexpected(scene.pattern(10, 1), 1, 0);
        return scene.receiveUnexpected(server, send);
    }

    private static void automaticReferences(Scene scene) {
        Bmi server = referenceCounting(scene);
        Bmi client = scene.newClient();
        End end = new End(client, scene.environment().serverAddress(0));
        UnexpectedMessages messages = message(scene, server, end);
        PeerAddress peer = messages.peer(0);
        messages.free(0);
        peer.release();
        expectForgotten(scene, server, peer);
        UnexpectedMessages again = message(scene, server, end);
        PeerAddress fresh = again.peer(0);
        Expect.that(fresh.id() != peer.id(), "the next message has a new handle");
        again.free(0);
        fresh.release();
    }

    private static void expectForgotten(Scene scene, Bmi bmi, PeerAddress peer) {
        try (var context = bmi.openContext()) {
            long result = context.postSend(peer, scene.buffer(1), 1);
            Expect.code(result, ErrorCode.EPROTO, "a post to a forgotten peer");
        }
        Expect.refusal(ErrorCode.EINVAL, () -> peer.release(), "releasing a forgotten peer");
        Expect.refusal(
                ErrorCode.EINVAL,
                () -> bmi.getOption(peer, Options.MAX_EXPECTED_BYTES),
                "asking a forgotten peer");
    }

    private static void oneHandle(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        long peers = Scene.counter(server, "bmi.peers");
        for (int i = 0; i < 1000; i++) {
            UnexpectedMessages messages = message(scene, server, link.client());
            Expect.equal(messages.peer(0), link.server().peer(), "the sender's handle");
            messages.free(0);
        }
        Expect.equal(Scene.counter(server, "bmi.peers"), peers, "how many peers are known");
    }

    private static void referencePerMessage(Scene scene) throws Exception {
        Bmi server = referenceCounting(scene);
        Link link = scene.link();
        link.server().peer().release();
        UnexpectedMessages first = message(scene, server, link.client());
        UnexpectedMessages second = message(scene, server, link.client());
        PeerAddress peer = first.peer(0);
        Expect.equal(second.peer(0), peer, "the sender of the second message");
        End back = new End(server, peer);
        CountDownLatch replying = new CountDownLatch(1);
        FutureTask<Integer> replies =
                scene.inThread(
                        "replies",
                        () -> {
                            for (int i = 0; i < 20; i++) {
                                Exchange.bothOrders(scene, back, link.client(), 10);
                                replying.countDown();
                            }
                            return 20;
                        });
        replying.await();
        first.free(0);
        peer.release();
        Expect.equal(replies.get(), 20, "replies while the other thread gave its reference back");
        second.free(0);
        peer.release();
        expectForgotten(scene, server, peer);
    }

    private static void releaseTooMany(Scene scene, Link link) throws Exception {
        link.bothWays(
                (end, other) -> {
                    Expect.refusal(
                            ErrorCode.EINVAL, () -> end.peer().release(), "a release too many");
                    end.peer().retain();
                    end.peer().retain();
                    end.peer().release();
                    Exchange.bothOrders(scene, end, other, 10);
                });
        link.client().peer().release();
        Expect.refusal(
                ErrorCode.EINVAL,
                () -> link.client().peer().release(),
                "the second release of one reference");
        Exchange.bothOrders(scene, link.client(), link.server(), 10);
    }

    private static void dropEndsOperations(Scene scene, Link link) {
        Bmi client = link.client().bmi();
        MemorySegment old = scene.buffer(10);
        Posted one = link.client().receive(old, 1);
        Posted two = link.client().receive(scene.buffer(10), 2);
        link.client().peer().drop();
        one.fails(ErrorCode.ECANCEL);
        two.fails(ErrorCode.ECANCEL);
        Completions done = Completions.ofCapacity(4);
        Expect.equal(link.client().context().testContext(done, 20), 0, "further completions");
        Link next = scene.link(client);
        MemorySegment in = scene.buffer(10);
        MemorySegment out = scene.pattern(10, 1);
        Posted receive = next.client().receive(in, 1);
        Exchange.check(next.server().send(out, 1), receive, out, in);
        Expect.bytes(old, scene.buffer(10), "the buffer of the dropped peer's receive");
    }

    private static void dropAndLookup(Scene scene, Link link) {
        Bmi client = link.client().bmi();
        for (int i = 0; i < 10; i++) {
            PeerAddress old = link.client().peer();
            old.drop();
            expectDropped(scene, client, old);
            link.client().context().close();
            link = scene.link(client); // the server may see another peer too
            Expect.that(link.client().peer().id() != old.id(), "the handle is a new one");
            Exchange.bothOrders(scene, link.client(), link.server(), 100);
            Exchange.bothOrders(scene, link.server(), link.client(), 100);
        }
    }

    private static void expectDropped(Scene scene, Bmi client, PeerAddress old) {
        try (var context = client.openContext()) {
            Expect.code(
                    context.postSend(old, scene.buffer(1), 1),
                    ErrorCode.EPROTO,
                    "a post to a dropped peer");
        }
    }

    /** The scene would remember each client, so this one is checked when it has gone. */
    private static void comeAndGoOnce(Scene scene) {
        RestCheck rest = new RestCheck(scene.fixture());
        Bmi client = scene.environment().clientBuilder().open();
        try (client) {
            rest.watch(client);
            Link link = scene.link(client);
            Exchange.bothOrders(scene, link.client(), link.server(), 10);
            link.server().context().close();
        }
        rest.expectAtRest(client);
        rest.expectNoLostBlocks();
        rest.expectNoFaults();
    }

    private static void comeAndGo(Scene scene) {
        Link first = scene.link();
        Bmi server = first.server().bmi();
        first.server().peer().mayBeForgotten(); // whatever the method says, it knows the peer
        long peers = Scene.counter(server, "bmi.peers");
        int clients = scene.amount(Amount.CLIENTS);
        for (int i = 0; i < clients; i++) {
            comeAndGoOnce(scene);
        }
        Expect.eventually(
                () -> {
                    server.testUnexpected(UnexpectedMessages.ofCapacity(1), 0);
                    return Scene.counter(server, "bmi.peers") <= peers;
                },
                "the peers that went are forgotten");
    }

    private static void nextClient(Scene scene) {
        Link old = scene.link();
        old.server().peer().retain();
        old.client().bmi().close();
        PeerLife.expectGone(scene, old.server());
        Link next = scene.link();
        Expect.that(
                next.server().peer().id() != old.server().peer().id(),
                "the next client is another peer");
        MemorySegment in = scene.buffer(10);
        Posted receive = next.client().receive(in, 5);
        Posted stray = old.server().send(scene.pattern(10, 1), 5);
        Posted.finish(stray);
        Expect.that(stray.error() != 0, "a send to the old peer fails");
        receive.staysPending();
        MemorySegment out = scene.pattern(10, 2);
        Exchange.check(next.server().send(out, 5), receive, out, in);
        old.server().peer().release();
    }

    private static void foreignPeer(Scene scene) {
        Link one = scene.link();
        Link two = scene.link();
        MemorySegment memory = scene.buffer(10);
        End crossed = new End(one.client().bmi(), one.client().context(), two.client().peer());
        Expect.refusal(ErrorCode.EPROTO, () -> crossed.send(memory, 1), "a send");
        Expect.refusal(ErrorCode.EPROTO, () -> crossed.receive(memory, 1), "a receive");
        Expect.refusal(
                ErrorCode.EPROTO, () -> crossed.sendUnexpected(memory, 1, 0), "an unexpected send");
        Exchange.bothOrders(scene, one.client(), one.server(), 10);
    }

    private static void ranges(Scene scene, Link link) {
        PeerAddress peer = link.server().peer();
        String pattern = scene.fixture().scheme() + "://127.*";
        if (!scene.can(Capability.ADDRESS_RANGES)) {
            Expect.refusal(
                    ErrorCode.ENOSYS,
                    () -> peer.isInRange(pattern, -1),
                    "a range where there are none");
            return;
        }
        Expect.that(peer.isInRange(pattern, -1), "the peer is local");
        String other = scene.fixture().scheme() + "://10.0.0.0";
        Expect.that(!peer.isInRange(other, 8), "the peer is not in another network");
    }

    private static void concurrentLookup(Scene scene) throws Exception {
        scene.server();
        Bmi client = scene.newClient();
        List<FutureTask<PeerAddress>> lookups = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            lookups.add(
                    scene.inThread(
                            "lookup", () -> client.lookup(scene.environment().serverAddress(0))));
        }
        Set<Long> ids = new HashSet<>();
        for (FutureTask<PeerAddress> lookup : lookups) {
            ids.add(lookup.get().id());
        }
        Expect.equal(ids.size(), 1, "how many handles the threads got");
    }
}

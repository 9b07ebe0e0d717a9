package org.jbmi.testsuite.cases.message;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.PeerLife;

import java.lang.foreign.MemorySegment;

/** Group H, second part: sizes, memory and sides of unexpected messages. */
public final class UnexpectedMemoryCases {
    private UnexpectedMemoryCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('H')
                .add(99, "exactly the limit, and one byte more", UnexpectedMemoryCases::limit)
                .add(101, "limit of one's own", UnexpectedMemoryCases::ownLimit)
                .add(102, "unexpected message of no bytes", UnexpectedMemoryCases::zeroLength)
                .add(114, "unexpected send by a server", UnexpectedMemoryCases::byServer)
                .add(115, "unexpected calls on a client", UnexpectedMemoryCases::onClient)
                .add(116, "freed twice, foreign memory freed", UnexpectedMemoryCases::badFree)
                .add(117, "writing into a message", UnexpectedMemoryCases::writing)
                .add(119, "freed after the sender went", UnexpectedMemoryCases::freeAfterSender)
                .add(120, "send, then close", UnexpectedMemoryCases::sendThenClose);
    }

    private static void limit(Scene scene, Link link) {
        long most = Scene.maxUnexpected(link.client());
        link.client().sendUnexpected(scene.buffer(most + 1), 1, 0).isRefused(ErrorCode.EMSGSIZE);
        expectMessage(scene, link, scene.pattern(most, 5));
    }

    private static void ownLimit(Scene scene) {
        scene.settings(EnvironmentSettings.DEFAULT.withMaxUnexpected(4096));
        Link link = scene.link();
        Expect.equal(Scene.maxUnexpected(link.client()), 4096, "the client's limit");
        Expect.equal(Scene.maxUnexpected(link.server()), 4096, "the server's limit");
        link.client().sendUnexpected(scene.buffer(4097), 1, 0).isRefused(ErrorCode.EMSGSIZE);
        expectMessage(scene, link, scene.pattern(4096, 5));
    }

    private static void zeroLength(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        UnexpectedMessages[] messages = new UnexpectedMessages[3];
        for (int i = 0; i < messages.length; i++) {
            Posted send = link.client().sendUnexpected(scene.buffer(0), i, 0);
            messages[i] = scene.receiveUnexpected(server, send);
            Expect.equal(messages[i].sizeBytes(0), 0, "the size");
            Expect.equal(messages[i].payload(0).byteSize(), 0, "the size of the view");
            Expect.equal(messages[i].tag(0), i, "the tag");
        }
        server.unexpectedFree(messages[1].payload(0));
        messages[0].free(0);
        messages[2].free(0);
    }

    private static void byServer(Scene scene, Link link) {
        MemorySegment out = scene.pattern(10, 1);
        Posted send = link.server().sendUnexpected(out, 1, 0);
        if (scene.can(Capability.UNEXPECTED_TO_CLIENT)) {
            UnexpectedMessages one = scene.receiveUnexpected(link.client().bmi(), send);
            Expect.equal(one.tag(0), 1, "the tag at the client");
            Expect.bytes(one.payload(0), out, "the bytes at the client");
            one.free(0);
        } else {
            send.isRefused(ErrorCode.EOPNOTSUPP);
        }
        Exchange.bothOrders(scene, link.server(), link.client(), 10);
    }

    private static void onClient(Scene scene, Link link) {
        Bmi client = link.client().bmi();
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        Expect.equal(client.testUnexpected(messages, 0), 0, "messages at the client");
        Expect.equal(client.testUnexpected(messages, 20), 0, "messages at the client");
        MemorySegment foreign = scene.buffer(10);
        Expect.refusal(
                ErrorCode.EINVAL, () -> client.unexpectedFree(foreign), "freeing foreign memory");
        Exchange.bothOrders(scene, link.server(), link.client(), 10);
    }

    private static void badFree(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        Posted send = link.client().sendUnexpected(scene.pattern(100, 1), 1, 0);
        UnexpectedMessages messages = scene.receiveUnexpected(server, send);
        MemorySegment payload = messages.payload(0);
        MemorySegment middle = payload.asSlice(64);
        refused(() -> server.unexpectedFree(middle), "freeing the middle of a message");
        messages.free(0);
        refused(() -> messages.free(0), "freeing twice");
        refused(() -> server.unexpectedFree(payload), "freeing twice by address");
        refused(() -> messages.tag(0), "looking at a freed message");
        MemorySegment heap = MemorySegment.ofArray(new byte[100]);
        refused(() -> server.unexpectedFree(heap), "freeing heap memory");
        MemorySegment foreign = scene.buffer(100);
        refused(() -> server.unexpectedFree(foreign), "freeing foreign memory");
        Posted next = link.client().sendUnexpected(scene.pattern(100, 2), 2, 0);
        UnexpectedMessages later = scene.receiveUnexpected(server, next);
        later.freeAll();
        refused(() -> later.free(0), "freeing twice, first with all others");
        later.freeAll();
        expectMessage(scene, link, scene.pattern(100, 7));
    }

    private static void refused(Runnable call, String what) {
        Expect.refusal(ErrorCode.EINVAL, call, what);
    }

    private static void writing(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        for (int i = 0; i < 300; i++) {
            MemorySegment out = scene.pattern(1000, i);
            Posted first = link.client().sendUnexpected(out, 1, 0);
            UnexpectedMessages one = scene.receiveUnexpected(server, first);
            Posted second = link.client().sendUnexpected(out, 2, 0);
            UnexpectedMessages two = scene.receiveUnexpected(server, second);
            one.payload(0).fill((byte) 0xff);
            Expect.bytes(two.payload(0), out, "the message beside the overwritten one");
            one.free(0);
            two.free(0);
        }
    }

    private static void freeAfterSender(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        MemorySegment out = scene.pattern(500, 2);
        Posted send = link.client().sendUnexpected(out, 1, 0);
        UnexpectedMessages messages = scene.receiveUnexpected(server, send);
        link.client().bmi().close();
        PeerLife.expectGone(scene, link.server());
        Expect.bytes(messages.payload(0), out, "the message of a sender that went");
        messages.free(0);
        expectMessage(scene, scene.link(), scene.pattern(10, 3));
    }

    private static void sendThenClose(Scene scene) {
        Link first = scene.link();
        End client = first.client();
        MemorySegment out = scene.pattern(3000, 4);
        client.sendUnexpected(out, 77, 0).succeeds(3000);
        client.bmi().close();
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        Bmi server = first.server().bmi();
        PeerLife.expectGone(scene, first.server());
        Expect.eventually(
                () -> server.testUnexpected(messages, 5) == 1, "the accepted message is delivered");
        Expect.equal(messages.tag(0), 77, "its tag");
        Expect.bytes(messages.payload(0), out, "its bytes");
        Expect.that(!messages.peer(0).displayName().isEmpty(), "its sender has a name");
        messages.free(0);
    }

    private static void expectMessage(Scene scene, Link link, MemorySegment out) {
        Posted send = link.client().sendUnexpected(out, 8, 0);
        UnexpectedMessages messages = scene.receiveUnexpected(link.server().bmi(), send);
        Expect.bytes(messages.payload(0), out, "the unexpected message");
        messages.free(0);
    }
}

package org.jbmi.testsuite.cases.common;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;

import java.lang.foreign.MemorySegment;

/** A peer that goes, and the server that comes after it. */
public final class PeerLife {
    private static final int PATIENCE_MS = 10_000;

    private PeerLife() {}

    /** Waits until posts to a peer are refused. */
    public static void expectGone(Scene scene, End end) {
        MemorySegment buffer = scene.buffer(1);
        Expect.eventually(
                () -> {
                    Posted probe = end.receive(buffer, 0x676f6e65);
                    if (probe.wasPending() && !probe.isDone(1)) {
                        end.context().cancel(probe.result());
                        Posted.finish(probe);
                    }
                    return probe.error() != 0 && probe.error() != ErrorCode.ECANCEL.negativeValue();
                },
                "operations with the closed peer fail");
    }

    /** Opens a server as soon as it can be opened, and lets a client that knew another meet it. */
    public static Link linkWithNewServer(Scene scene, Bmi client) {
        Bmi[] opened = new Bmi[1];
        Expect.eventually(
                () -> {
                    try {
                        opened[0] = scene.newServer(0, builder -> {});
                        return true;
                    } catch (BmiException e) {
                        return false;
                    }
                },
                "a new server can be opened");
        String address = scene.environment().serverAddress(0);
        End end = new End(client, address);
        awaitServer(scene, end, opened[0]);
        return scene.link(opened[0], address, client);
    }

    /**
     * Waits until a client has found a new server: the first of its next posts may only tell it
     * that the old one has gone.
     */
    public static void awaitServer(Scene scene, End client, Bmi server) {
        UnexpectedMessages first = UnexpectedMessages.ofCapacity(1);
        boolean[] hasNoticed = new boolean[1];
        Expect.eventually(
                () -> {
                    Posted hello = client.sendUnexpected(scene.buffer(8), 1, 0);
                    Posted.finish(hello);
                    boolean isSent = hello.error() == 0;
                    hasNoticed[0] |= !isSent;
                    int waitMs = hasNoticed[0] ? PATIENCE_MS : 100;
                    boolean hasCome = isSent && server.testUnexpected(first, waitMs) == 1;
                    // What is sent before the client has noticed the crash may get lost.
                    Expect.that(
                            hasCome || !isSent || !hasNoticed[0],
                            "a message arrives that was sent after the client had noticed");
                    return hasCome;
                },
                "the client finds the new server");
        do {
            first.free(0);
        } while (server.testUnexpected(first, 0) == 1);
    }
}

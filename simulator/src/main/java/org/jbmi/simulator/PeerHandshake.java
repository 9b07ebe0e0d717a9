package org.jbmi.simulator;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.simulator.SimHosting.Segment;
import org.jbmi.simulator.SimHosting.Session;
import org.jbmi.simulator.process.SimMemory;
import org.jbmi.simulator.socket.SimSocket;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.Redirect;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/** Attaches a peer to a host over a socket of its own, and follows a redirect. */
final class PeerHandshake {
    private static final int ANSWER_STEPS = 60;

    private final World world;
    private final SimPeer peer;
    private final String transport;

    PeerHandshake(SimPeer peer, String transport) {
        this.world = peer.world;
        this.peer = peer;
        this.transport = transport;
    }

    /** The peer's side of the handshake. */
    PeerAttachment with(SimHosting host) {
        boolean isBusy = host.isBusy() || (!peer.isServer() && world.daemon.isBusy());
        if (!host.isAlive || isBusy) {
            throw new BmiException(ErrorCode.ENETDOWN, "No daemon answers.");
        }
        SimSocket mine = SimSocket.pair();
        peer.sockets.add(mine);
        Hello hello = new Hello(peer.role(), peer.pid(), peer.incarnation, transport);
        host.connected(mine.other(), hello, peer);
        Session session = answer(host, mine);
        if (session == null || mine.isEnded) {
            mine.end();
            throw new BmiException(ErrorCode.ETIMEDOUT, "The daemon does not answer.");
        }
        return answered(mine, session);
    }

    private @Nullable Session answer(SimHosting host, SimSocket mine) {
        Session session = null;
        peer.exclusive++; // the half holds a lock during this
        for (int i = 0; i < ANSWER_STEPS && session == null; i++) {
            if (mine.isEnded || !peer.isAlive) {
                break;
            }
            world.daemonFor(peer, host);
            session = host.answerFor(mine.other());
        }
        peer.exclusive--;
        peer.checkAlive();
        return session;
    }

    private PeerAttachment answered(SimSocket mine, Session session) {
        return switch (session.answer()) {
            case Welcome welcome -> attached(mine, welcome, session.segment());
            case Redirect redirect -> {
                mine.end();
                yield with(world.daemon);
            }
            case Refused refused -> {
                ErrorCode code = ErrorCode.of(refused.code());
                throw new BmiException(code == null ? ErrorCode.EPROTO : code, refused.sentence());
            }
            default -> throw new BmiException(ErrorCode.EPROTO, "no welcome");
        };
    }

    // A socket without an owner is closed.
    private PeerAttachment attached(SimSocket mine, Welcome welcome, Segment segment) {
        boolean isAttached = false;
        try {
            PeerAttachment made = make(mine, welcome, segment);
            isAttached = true;
            return made;
        } finally {
            if (!isAttached) {
                mine.end();
            }
        }
    }

    private PeerAttachment make(SimSocket mine, Welcome welcome, Segment segment) {
        peer.attached(
                mine,
                new SimLane(
                        segment, segment.map().session(welcome.session()), welcome.generation()));
        return new PeerAttachment(
                mine,
                new SimMemory(segment.raw(), peer),
                segment.memory(),
                () -> {}, // the memory is freed when no process maps it
                welcome,
                new AttachRequest(
                        Path.of("simulated"),
                        peer.role(),
                        peer.isServer() ? "ring" : "shm",
                        0,
                        peer.waiting,
                        peer.clock,
                        world.liveness));
    }
}

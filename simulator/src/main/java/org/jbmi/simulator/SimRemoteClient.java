package org.jbmi.simulator;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.socket.FrameException;
import org.jbmi.zbmi.socket.LinkHandshake;
import org.jbmi.zbmi.socket.LinkWelcome;
import org.jbmi.zbmi.socket.SocketClientLink;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** A client's process that has a stream to the gateway instead of the segment. */
final class SimRemoteClient extends SimClient {
    private static final int ANSWER_STEPS = 200;

    private @Nullable SimStream stream;
    private @Nullable SimTransport transport;
    private SimGateway.@Nullable Lane through;

    SimRemoteClient(World world, int index) {
        super(world, index);
    }

    /** Its connection; null if it has none. */
    @Nullable SimStream stream() {
        return stream;
    }

    @Override
    ClientLink connect(PeerEvents events) {
        SimGateway gateway = world.gateway();
        if (!gateway.isAlive || gateway.frames > 0 || super.isHostBusy()) {
            throw new BmiException(ErrorCode.ENETDOWN, "No gateway answers.");
        }
        SimStream mine = gateway.connect(this);
        stream = mine;
        LinkWelcome welcome;
        exclusive++; // its half holds a lock meanwhile
        try {
            welcome = shakeHands(mine, gateway);
        } catch (IOException e) {
            mine.end();
            throw new BmiException(ErrorCode.EPROTO, "The gateway: " + e.getMessage(), e);
        } finally {
            exclusive--;
        }
        SimGateway.Lane taken = gateway.lane(welcome.generation());
        if (taken == null) {
            mine.end();
            throw new BmiException(ErrorCode.ENETDOWN, "The gateway has gone.");
        }
        through = taken;
        begun(taken.lane());
        SimTransport fresh = new SimTransport(this, mine);
        transport = fresh;
        long stallNs = world.isCalm() ? Long.MAX_VALUE : TimeUnit.SECONDS.toNanos(90);
        return new SocketClientLink(fresh, welcome, events, clock, stallNs);
    }

    private LinkWelcome shakeHands(SimStream mine, SimGateway gateway) throws IOException {
        ByteBuffer hello = LinkHandshake.hello(pid());
        ByteBuffer answer = ByteBuffer.allocate(LinkHandshake.MAX_BYTES).limit(Integer.BYTES);
        for (int i = 0; i < ANSWER_STEPS; i++) {
            mine.write(hello);
            if (mine.read(answer) < 0) {
                throw new FrameException("it hung up");
            }
            int length = answer.hasRemaining() ? 0 : LinkHandshake.length(answer);
            if (length > 0 && answer.position() == length) {
                return LinkHandshake.readAnswer(answer.flip());
            }
            answer.limit(Math.max(length, answer.limit()));
            if (gateway.mayRun() && world.dice.chance(50)) {
                gateway.step();
            } else {
                world.daemonFor(this, world.door());
            }
            checkAlive();
        }
        mine.end();
        throw new BmiException(ErrorCode.ETIMEDOUT, "The gateway does not answer.");
    }

    @Override
    boolean isHostBusy() {
        return super.isHostBusy() || world.gateway().frames > 0;
    }

    // The bytes of what one thread has claimed in a call hold up all that comes after them, and
    // it cannot go on before those above it on the stack have returned.
    @Override
    void step() {
        if (posting.stream().noneMatch(SimOp::isReceive)) {
            if (method != null
                    && !isWaiting()
                    && world.dice.chance(world.isEngineSluggish() ? 30 : 12)) {
                run(() -> alone(this::testInHaste));
            } else {
                super.step();
            }
        } else if (method != null) {
            run(() -> half().progress());
        }
    }

    // As a program does that tests again and again and never waits: many messages, no answers.
    private void testInHaste() {
        int times = 1 + world.dice.below(world.isEngineSluggish() ? 40 : 8);
        for (int i = 0; i < times; i++) {
            half().waitBegins(world.nowNs + 1_000_000);
            half().waitOver();
        }
    }

    @Override
    boolean isLaneTight() {
        return transport == null; // it has room for all that a client may have pending
    }

    @Override
    boolean isCalled() {
        SimTransport on = transport;
        return on != null && on.isReady();
    }

    @Override
    boolean isOfDaemon() {
        SimStream on = stream;
        SimGateway.Lane taken = through;
        return on != null && taken != null && !on.isLost() && taken.isWhole();
    }

    /** Whether the engine has read all that the gateway has passed on. */
    boolean isLaneFree() {
        SimGateway.Lane taken = through;
        return taken != null && isOfDaemon() && !taken.lane().hasUnheard();
    }

    @Override
    boolean hasUnread() {
        SimStream on = stream;
        return (on != null && on.hasUnread()) || (through != null && super.hasUnread());
    }

    @Override
    boolean hasUnheard() {
        SimStream on = stream;
        return (on != null && on.hasUnheard()) || (through != null && super.hasUnheard());
    }

    @Override
    void onDeath() {
        SimStream on = stream;
        if (on != null) {
            on.end();
        }
        super.onDeath();
    }

    @Override
    void onBuried() {
        super.onBuried();
        stream = null;
        transport = null;
        through = null;
    }
}

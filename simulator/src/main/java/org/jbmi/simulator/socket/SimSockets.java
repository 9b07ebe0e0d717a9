package org.jbmi.simulator.socket;

import org.jbmi.ErrorCode;
import org.jbmi.simulator.coverage.FaultKind;
import org.jbmi.simulator.process.Dice;
import org.jbmi.simulator.process.Schedule;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.zbmi.socket.LinkHandshake;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The sockets and selectors of a remote client; its sockets connect to the gateway. */
public final class SimSockets extends SelectorProvider {
    private static final int DISTURBED_PERCENT = 20;
    private static final int LONGEST_NOISE = 70;

    private final Schedule schedule;
    private final SimProcess client;
    private final SimProcess gateway;
    private final Consumer<SimStream> knocks;
    private final Consumer<SimStream> dials;
    private final List<Channel> channels = new ArrayList<>();
    private final List<Selector> selectors = new ArrayList<>();
    private long fullUntilStep;

    /** The result of an attempt to connect. */
    enum Fate {
        /** The gateway gets it. */
        TAKEN,
        /** The gateway gets it, and the answer is late. */
        LATE,
        /** No process listens. */
        REFUSED,
        /** The queue of the listening socket is full. */
        FULL,
        /** The packets are lost, and so are their repetitions. */
        UNHEARD,
        /** Another program listens. */
        ASTRAY
    }

    /**
     * The sockets of a client that has none yet.
     *
     * @param client their owner
     * @param gateway to which they connect
     * @param knocks takes the gateway's end of each connection
     * @param dials takes each new socket of the client
     */
    public SimSockets(
            SimProcess client,
            SimProcess gateway,
            Consumer<SimStream> knocks,
            Consumer<SimStream> dials) {
        this.schedule = client.schedule;
        this.client = client;
        this.gateway = gateway;
        this.knocks = knocks;
        this.dials = dials;
    }

    @Override
    public SocketChannel openSocketChannel() {
        return opened(false);
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) {
        return opened(family == StandardProtocolFamily.UNIX);
    }

    private SimStream opened(boolean isUnix) {
        SimStream fresh = new SimStream(schedule, client, this, isUnix);
        channels.add(fresh);
        dials.accept(fresh);
        return fresh;
    }

    @Override
    public AbstractSelector openSelector() {
        SimSelector fresh = new SimSelector(schedule, client);
        selectors.add(fresh);
        return fresh;
    }

    /** The process that its sockets connect to. */
    SimProcess gateway() {
        return gateway;
    }

    /** Gives the gateway its end of a connection. */
    void knock(SimStream end) {
        knocks.accept(end);
    }

    /** Begins an attempt. */
    Fate fate(boolean isUnix) {
        if (schedule.isPosting && schedule.steps < fullUntilStep) {
            return Fate.FULL;
        }
        if (schedule.isPosting && !schedule.isCalm() && schedule.dice.chance(DISTURBED_PERCENT)) {
            return disturbed(isUnix);
        }
        return isThere() ? Fate.TAKEN : Fate.REFUSED;
    }

    private Fate disturbed(boolean isUnix) {
        Dice dice = schedule.dice;
        return switch (dice.below(3)) {
            case 0 -> {
                schedule.cover(FaultKind.DIAL_REFUSED);
                yield Fate.REFUSED;
            }
            case 1 -> {
                schedule.cover(FaultKind.DIAL_STANDS);
                yield isUnix ? full() : standing();
            }
            default -> {
                schedule.cover(FaultKind.DIAL_ASTRAY);
                yield Fate.ASTRAY;
            }
        };
    }

    private Fate full() {
        fullUntilStep = schedule.steps + schedule.dice.below(schedule.dice.chance(20) ? 2000 : 60);
        return Fate.FULL;
    }

    private Fate standing() {
        return isThere() && schedule.dice.chance(60) ? Fate.LATE : Fate.UNHEARD;
    }

    private boolean isThere() {
        return gateway.isAlive && !client.isHostBusy();
    }

    /** The bytes of a program that is not the right gateway. */
    byte[] noise() {
        Dice dice = schedule.dice;
        byte[] bytes = new byte[dice.below(LONGEST_NOISE)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = dice.chance(50) ? (byte) dice.next() : 0;
        }
        return switch (dice.below(4)) {
            case 0 -> "SSH-2.0-Nobody\r\n".getBytes(StandardCharsets.US_ASCII);
            case 1 -> bytes;
            case 2 -> garbled(dice);
            default -> new byte[0];
        };
    }

    private static byte[] garbled(Dice dice) {
        ByteBuffer answer =
                dice.chance(50)
                        ? LinkHandshake.refused(ErrorCode.EACCES, "Not here.")
                        : LinkHandshake.hello(1);
        byte[] bytes = new byte[answer.remaining()];
        answer.get(bytes);
        if (dice.chance(70)) {
            bytes[dice.below(bytes.length)] = (byte) dice.next();
        }
        return bytes;
    }

    /** Checks that everything is closed if there is no link. */
    public void checkAllClosed(String when) {
        check(channels, when);
        check(selectors, when);
        channels.clear();
        selectors.clear();
    }

    /** Checks that an open link has one socket and one selector, and nothing else is open. */
    public void checkOneOfEach() {
        channels.removeIf(each -> !each.isOpen());
        selectors.removeIf(each -> !each.isOpen());
        if (channels.size() != 1 || selectors.size() != 1) {
            throw schedule.fail(
                    "a link of %s has left %d sockets and %d selectors open"
                            .formatted(client, channels.size(), selectors.size()));
        }
    }

    private void check(List<? extends AutoCloseable> all, String when) {
        for (AutoCloseable each : all) {
            boolean isOpen =
                    each instanceof Channel channel ? channel.isOpen() : ((Selector) each).isOpen();
            if (isOpen) {
                throw schedule.fail(client + " has left a socket or selector open " + when);
            }
        }
    }

    /** The selector of the link that is open. */
    public @Nullable SimSelector selector() {
        return selectors.isEmpty() ? null : (SimSelector) selectors.get(0);
    }

    /** Its process has ended. */
    public void endAll() {
        for (Channel each : channels) {
            ((SimStream) each).end();
        }
        channels.clear();
        selectors.clear();
    }

    @Override
    public DatagramChannel openDatagramChannel() {
        throw SimChannel.notHere();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) {
        throw SimChannel.notHere();
    }

    @Override
    public Pipe openPipe() throws IOException {
        throw SimChannel.notHere();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() {
        throw SimChannel.notHere();
    }
}

package org.jbmi.zbmi.host;

import org.jbmi.observe.Counters;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.port.Doorbell;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.host.port.PortOpener;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.Redirect;
import org.jbmi.zbmi.protocol.handshake.Welcome;

import java.nio.channels.SocketChannel;

/**
 * A host without threads, sockets and files, which its owner runs step by step. The owner runs its
 * rounds one at a time, decides when it sleeps, and replaces the sessions thread. Everything else
 * is what runs in a daemon. For the simulator, which simulates clock, memory and processes.
 *
 * <p>Not thread-safe. Events of sockets take effect in the next round, as in a daemon.
 */
public final class SteppedHost extends SteppedEngine {
    private final Engine engine;
    private final SessionTable table;
    private final EngineLoop loop;
    private final Doorbell doorbell;
    private final ControlRing control;

    /** Calls to the owner, from inside {@link #round}. */
    public interface Sockets {
        /**
         * The answer to a hello.
         *
         * @param socket of the peer
         * @param frame to be sent
         */
        void answer(SocketChannel socket, HandshakeFrame frame);

        /**
         * A peer has broken the protocol: the owner does the same as in {@link #sendAway}.
         *
         * @param socket of the peer
         */
        void evict(SocketChannel socket);

        /**
         * The session of a peer ends without a fault of it: the owner shuts its socket for writing,
         * calls {@link #hungUp}, and calls {@link #provedDead} when the goodbye comes.
         *
         * @param socket of the peer
         */
        void sendAway(SocketChannel socket);

        /**
         * A peer sleeps in a selector: a byte is to be sent.
         *
         * @param socket of the peer
         */
        void wake(SocketChannel socket);
    }

    /**
     * Puts one together.
     *
     * @param layout its sizes
     * @param segment its memory, in which the control page is written
     * @param segmentName what peers are told that its name is
     * @param segmentGeneration which segment it is
     * @param counters where it counts
     * @param context what its parts share
     * @param channel opens the engine's end of its server's command channel
     * @param sockets its owner's part
     */
    public SteppedHost(
            HostLayout layout,
            EngineSegment segment,
            String segmentName,
            long segmentGeneration,
            Counters counters,
            HostContext context,
            PortOpener channel,
            Sockets sockets) {
        EngineParts parts =
                EngineParts.of(
                        layout,
                        segment,
                        template(HostKind.DAEMON, 1, layout, segmentName, segmentGeneration),
                        counters,
                        context,
                        null,
                        new OwnersTransports(channel));
        this.engine = parts.engine();
        this.table = parts.table();
        this.doorbell = parts.doorbell();
        this.control = new ControlRing(table, doorbell::wake);
        this.loop =
                new EngineLoop(
                        parts, control, context, WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0), () -> {});
        table.use(engine, (connection, bit) -> requested(sockets, connection, bit));
    }

    private record OwnersTransports(PortOpener channel) implements SessionTransports {
        @Override
        public PortOpener link(String name) {
            return LanePort::new;
        }

        @Override
        public PortOpener channel(String name) {
            return channel;
        }
    }

    static WelcomeTemplate template(
            HostKind kind,
            long pid,
            HostLayout layout,
            String segmentName,
            long segmentGeneration) {
        return new WelcomeTemplate(
                kind,
                pid,
                1,
                segmentName,
                segmentGeneration,
                layout.geometry(),
                layout.sessionLimits(layout.limits().maxClientOperations()),
                layout.sessionLimits(layout.limits().maxServerOperations()));
    }

    static void requested(Sockets sockets, Connection connection, int bit) {
        SocketChannel socket = connection.channel();
        HandshakeFrame answer = connection.answer();
        if (bit == Connection.ANSWER && answer != null) {
            sockets.answer(socket, answer);
        } else if (bit == Connection.EVICT) {
            connection.markSentAway();
            sockets.evict(socket);
        } else if (bit == Connection.SEND_AWAY) {
            connection.markSentAway();
            sockets.sendAway(socket);
        } else if (bit == Connection.WAKE) {
            sockets.wake(socket);
        }
    }

    /** Makes the memory for servers that host the engine themselves. */
    public interface Lending {
        /**
         * Makes a segment of the size of the host's own.
         *
         * @return its generation; the owner finds it by that
         */
        long lend();

        /** The server has stopped using it: removes it. */
        void takeBack();
    }

    /**
     * From now on servers may host the engine themselves; clients are then redirected.
     *
     * @param lending its owner's part
     */
    public void lendsBy(Lending lending) {
        table.lendsBy(new SteppedLoans(lending));
    }

    private static final class SteppedLoans implements Loans {
        private static final String PLACE = "stepped";

        private final Lending lending;
        private boolean isLent;

        SteppedLoans(Lending lending) {
            this.lending = lending;
        }

        @Override
        public boolean isLent() {
            return isLent;
        }

        @Override
        public Welcome lend(WelcomeTemplate template, int generation) {
            long lent = lending.lend();
            try {
                Welcome welcome = template.loan(generation, PLACE, lent);
                isLent = true;
                return welcome;
            } finally {
                if (!isLent) {
                    lending.takeBack(); // there was no memory for the welcome
                }
            }
        }

        @Override
        public Redirect redirect() {
            return new Redirect(PLACE);
        }

        @Override
        public void takeBack() {
            isLent = false;
            lending.takeBack();
        }
    }

    @Override
    boolean tell(SessionEvent event, Connection connection) {
        return control.tell(event, connection);
    }

    /**
     * One round of the engine's thread.
     *
     * @param nowNs the time
     * @return how much was done
     */
    public int round(long nowNs) {
        return loop.work(nowNs);
    }

    /**
     * After a round in which nothing was done: makes quiet sessions cold, announces the sleep and
     * polls once more.
     *
     * @param nowNs the time
     * @return the longest sleep in nanoseconds, on the sleep word of the segment, to be ended with
     *     {@link #wakeUp}; 0 if there must be another round
     */
    public long fallAsleep(long nowNs) {
        return loop.coolDown() ? loop.prepareSleep(nowNs) : 0;
    }

    /** The sleep is over. */
    public void wakeUp() {
        doorbell.finishSleep();
    }

    @Override
    public Engine engine() {
        return engine;
    }
}

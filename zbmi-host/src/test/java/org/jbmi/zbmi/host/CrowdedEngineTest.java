package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.host.port.EnginePort;
import org.jbmi.zbmi.host.port.PortOpener;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Clients have always more to say: a round ends even so, and the keeper yields to the program. */
@Timeout(30)
class CrowdedEngineTest {
    private static final int CLIENTS = 4;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The most that a round reads: it ends behind the session with the 64th message. */
    private static final int MOST = 64 + 31;

    private final AtomicLong nowNs = new AtomicLong(TimeUnit.SECONDS.toNanos(1));
    private final PlayedHost host = new PlayedHost(nowNs::get);
    private final List<Lane> lanes = new ArrayList<>();
    private final EngineParts parts = host.parts(new Lanes());
    private final DirectEngine engine = new DirectEngine(parts, host.output, host.context, MS);

    /** What a caller does while the engine is in the middle of a round. */
    private Runnable meanwhile = () -> {};

    /** A lane that holds so many messages. */
    private final class Lane implements EnginePort {
        int left;

        @Override
        public int poll(Message into) {
            if (left == 0) {
                return EMPTY;
            }
            left--;
            meanwhile.run();
            ClientRequests.disarm(into, 1);
            return RECEIVED;
        }

        @Override
        public boolean send(Message message) {
            return true;
        }

        @Override
        public int flush() {
            return 0;
        }

        @Override
        public int signal() {
            return SIGNALLED;
        }

        @Override
        public boolean goCold() {
            return left == 0;
        }

        @Override
        public String brokenReason() {
            return null;
        }
    }

    private final class Lanes implements SessionTransports {
        @Override
        public PortOpener link(String name) {
            return (segment, welcome, maxBacklog) -> {
                lanes.add(new Lane());
                return lanes.getLast();
            };
        }

        @Override
        public PortOpener channel(String name) {
            throw new AssertionError("no server comes");
        }
    }

    @BeforeEach
    void attach() throws IOException {
        engine.opened(new HeardEvents());
        parts.table().attachOwnServer(1, new DirectPort(host.output));
        for (int i = 0; i < CLIENTS; i++) {
            try (SocketChannel socket = SocketChannel.open()) {
                Connection connection = new Connection(socket, i);
                connection.hello(new Hello(PeerRole.CLIENT, 1, 0, "shm"));
                engine.attach(connection);
            }
        }
        assertThat(lanes).hasSize(CLIENTS);
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1)); // all are looked at next
    }

    private int left() {
        return lanes.stream().mapToInt(lane -> lane.left).sum();
    }

    private void fill(int messages) {
        lanes.forEach(lane -> lane.left = messages);
    }

    /** So that no round is followed by an attempt to rest, and all lanes are hot. */
    private void callersLead() {
        fill(1000);
        for (int i = 0; i < 8; i++) {
            engine.lead(); // in quick succession
        }
        assertThat(engine.keep()).as("somebody leads").isFalse();
        fill(1000);
    }

    /** Whoever runs a round holds the lock, and all others wait for it. */
    @Test
    void aRoundEndsEarlyAndTheNextOneGoesOnWithTheOthers() {
        callersLead();
        for (int round = 1; round <= CLIENTS; round++) {
            int before = left();
            assertThat(engine.lead()).isBetween(64, MOST);
            assertThat(before - left()).isBetween(64, MOST);
        }
        assertThat(lanes).extracting(lane -> lane.left).containsOnly(1000 - 64);
        for (int round = 0; left() > 0; round++) {
            assertThat(round).as("rounds").isLessThan(CLIENTS * 1000 / 64 + CLIENTS);
            engine.lead();
        }
        assertThat(engine.lead()).isZero();
        assertThat(engine.failure()).isNull();
    }

    private void theKeeperLeads() {
        fill(1000);
        assertThat(engine.keep()).as("there is work and nobody is there").isTrue();
        assertThat(engine.keepOn(false)).isPositive();
        assertThat(engine.keepOn(false)).isPositive();
    }

    @Test
    void theKeeperStopsWhenACallerFreesAMessage() {
        theKeeperLeads();
        engine.freedSoon(0);
        assertThat(engine.keepOn(false)).isNegative();
    }

    @Test
    void theKeeperStopsWhenACallerAsksTheEngineForSomething() {
        theKeeperLeads();
        engine.tell(ServerRequests.CANCEL, 70, 1);
        assertThat(engine.keepOn(false)).isNegative();
    }

    /** It may never find the lock free, so that it cannot be seen by the rounds that it ran. */
    @Test
    void theKeeperStopsWhenACallerWouldRunARound() {
        theKeeperLeads();
        AtomicLong found = new AtomicLong(-1);
        meanwhile =
                () -> {
                    meanwhile = () -> {};
                    found.set(engine.lead());
                };
        assertThat(engine.keepOn(false)).isPositive();
        assertThat(found).as("the lock was not free").hasValue(0);
        assertThat(engine.keepOn(false)).isNegative();
        assertThat(engine.keep()).as("the caller has not come").isTrue();
    }

    /** If the keeper led, it would take the processor for which the caller waits. */
    @Test
    void aCallerThatWasThereJustNowIsHelpedByOneRoundATick() {
        callersLead();
        for (int tick = 0; tick < 9; tick++) {
            nowNs.addAndGet(MS);
            int before = left();
            assertThat(engine.keep()).as("whether it leads, tick %d", tick).isFalse();
            assertThat(before - left()).isBetween(64, MOST);
        }
        nowNs.addAndGet(MS);
        assertThat(engine.keep()).as("it is at something else").isTrue();
    }

    @Test
    void aCallerThatSleepsWaitsForNoProcessor() {
        callersLead();
        fill(0);
        nowNs.addAndGet(95 * MS);
        for (int i = 0; i < 2; i++) { // the keeper looks at the clock, callers' rounds rarely do
            engine.lead();
            assertThat(engine.keep()).as("somebody leads").isFalse();
        }
        assertThat(engine.prepareSleep(true)).isNotZero();
        fill(1000);
        nowNs.addAndGet(6 * MS); // and all are looked at again
        assertThat(engine.keep()).as("there is work and the caller is asleep").isTrue();
    }
}

package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.host.port.PortOpener;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** A round ends behind the session with this message; it reads up to 32 of each session. */
    private static final int MOST = 64;

    /** After this time a round looks at all sessions. */
    private static final long LOOK_MS = 100;

    private static final long ABSENCE_MS = 10;

    private final AtomicLong nowNs = new AtomicLong(TimeUnit.SECONDS.toNanos(1));
    private final PlayedHost host = new PlayedHost(nowNs::get);
    private final List<Lane> lanes = new ArrayList<>();
    private final EngineParts parts = host.parts(new Lanes());
    private final DirectEngine engine = new DirectEngine(parts, host.output, host.context, MS);

    /** What a caller does while the engine is in the middle of a round. */
    private Runnable meanwhile = () -> {};

    /** A lane that holds so many messages. */
    private final class Lane extends QuietPort {
        int left;

        Lane() {
            super(host);
        }

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
        public boolean goCold() {
            return left == 0;
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
        parts.table().attachOwnServer(1);
        for (int i = 0; i < CLIENTS; i++) {
            try (SocketChannel socket = SocketChannel.open()) {
                Connection connection = new Connection(socket, i);
                connection.hello(new Hello(PeerRole.CLIENT, 1, 0, "shm"));
                engine.tell(SessionEvent.ATTACH, connection);
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

    /** Makes the engine attended, with all lanes hot. */
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
            assertThat(engine.lead()).isEqualTo(MOST);
            assertThat(before - left()).isEqualTo(MOST);
        }
        assertThat(lanes).extracting(lane -> lane.left).containsOnly(1000 - MOST);
        for (int round = 0; left() > 0; round++) {
            assertThat(round).as("rounds").isLessThan(CLIENTS * 1000 / 64 + CLIENTS);
            engine.lead();
        }
        assertThat(engine.lead()).isZero();
        assertThat(engine.failure()).isNull();
    }

    @Test
    void aRoundEndsBehindASessionAndNotInIt() {
        callersLead();
        fill(31);
        assertThat(engine.lead()).isEqualTo(3 * 31);
        assertThat(engine.lead()).isEqualTo(31);
        assertThat(engine.lead()).isZero();
    }

    /** The next round of a caller looks at all sessions, and then makes quiet ones cold. */
    private void lookNext() {
        nowNs.addAndGet(LOOK_MS * MS);
        engine.lead();
        assertThat(engine.keep()).as("somebody leads").isFalse(); // it looks at the clock
    }

    @Test
    void aSessionThatBecomesColdTakesNoTurnFromAnother() {
        callersLead();
        fill(0);
        lookNext();
        assertThat(engine.lead()).isZero();
        assertThat(parts.round().isHot()).isFalse();
        fill(1000);
        lookNext();
        assertThat(engine.lead()).isEqualTo(MOST); // the server's becomes cold, in front of all
        assertThat(lanes).extracting(lane -> lane.left).containsExactly(968, 968, 1000, 1000);
        assertThat(engine.lead()).isEqualTo(MOST);
        assertThat(lanes).extracting(lane -> lane.left).containsOnly(968);
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
        assertThat(engine.keep()).as("the caller is at something else").isTrue();
        assertThat(engine.keepOn(false)).isPositive();
    }

    /** Then the caller finds the lock free, and what it has freed need not wait for a tick. */
    @Test
    void aKeeperThatReadsAllThereIsGoesOn() {
        theKeeperLeads();
        fill(1);
        engine.freedSoon(0);
        assertThat(engine.keepOn(false)).isEqualTo(CLIENTS);
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
        assertThat(engine.keepOn(false)).isNegative();
        assertThat(found).as("the lock was not free").hasValue(0);
    }

    /** If the keeper led, it would take the processor for which the caller waits. */
    @Test
    void aCallerThatWasThereJustNowIsHelpedByOneRoundATick() {
        callersLead();
        for (int tick = 1; tick < ABSENCE_MS; tick++) {
            nowNs.addAndGet(MS);
            int before = left();
            assertThat(engine.keep()).as("whether it leads, tick %d", tick).isFalse();
            assertThat(before - left()).isEqualTo(MOST);
        }
        nowNs.addAndGet(MS);
        assertThat(engine.keep()).as("it is at something else").isTrue();
    }

    @Test
    void theKeeperLeadsAtOnceIfARoundReadsAllThereIs() {
        callersLead();
        fill(1);
        nowNs.addAndGet(MS);
        assertThat(engine.keep()).isTrue();
    }

    /** The last tick and round of callers are this long before all sessions are looked at. */
    private void untilTheNextLook(long ms) {
        fill(0);
        nowNs.addAndGet((LOOK_MS - ms) * MS);
        for (int i = 0; i < 2; i++) { // the keeper looks at the clock, callers' rounds rarely do
            engine.lead();
            assertThat(engine.keep()).as("somebody leads").isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCallerThatSleepsWaitsForNoProcessor(boolean onWord) {
        callersLead();
        untilTheNextLook(ABSENCE_MS / 2);
        assertThat(engine.prepareSleep(onWord)).isNotZero();
        fill(1000);
        nowNs.addAndGet(ABSENCE_MS / 2 * MS);
        assertThat(engine.keep()).as("there is work and the caller is asleep").isTrue();
    }

    @Test
    void aKeeperThatAClientHasWokenLeads() {
        engine.lead(); // looks at all sessions
        fill(0);
        nowNs.addAndGet((LOOK_MS - 1) * MS);
        engine.lead();
        fill(1000);
        nowNs.addAndGet(MS);
        assertThat(engine.keep()).as("it did not tick").isTrue();
    }
}

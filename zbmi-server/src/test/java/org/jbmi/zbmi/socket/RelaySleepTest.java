package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

/** A relay that sleeps in a selector hears of every message of the engine's. */
@Timeout(60)
class RelaySleepTest {
    /** More than a lane lets pass without a look at its socket. */
    private static final int IDLE_PUMPS = 10_000;

    private static final int MORE_THAN_A_LANE_HOLDS = 40;

    @TempDir private Path directory;

    @Test
    void aRingThatIsReadByTheWayIsNotTheLast() throws IOException {
        Random random = new Random(1);
        RemoteClientSim client = new RemoteClientSim(random);
        try (LinkWorld world = new LinkWorld(directory, random, client)) {
            client.use(world.link);
            world.settle(() -> {});
            assertThat(world.relaySleeps()).isTrue();
            assertThat(world.tellClient()).as("the first message rings").isTrue();
            // The client's own traffic keeps the relay at work, which looks into the lane and, now
            // and then, at its socket.
            for (int i = 0; i < IDLE_PUMPS; i++) {
                world.pumpRelay();
                world.pumpLink();
            }
            assertThat(world.relaySleeps()).isTrue();
            assertThat(world.tellClient()).as("the next one rings again").isTrue();
        }
    }

    /** The engine reads the lane before the relay announces its sleep, so it does not ring. */
    @Test
    void aFrameThatWaitedForRoomInTheLaneGoesOn() throws IOException {
        Random random = new Random(2);
        RemoteClientSim client = new RemoteClientSim(random);
        try (LinkWorld world = new LinkWorld(directory, random, client)) {
            client.use(world.link);
            for (int i = 0; i < MORE_THAN_A_LANE_HOLDS; i++) {
                client.waitOrLeave(); // without an answer, which would keep the relay awake
            }
            while (world.pumpLink() | world.pumpRelay()) {
                // until the lane is full, and the relay reads no further
            }
            assertThat(world.pumpEngine(MORE_THAN_A_LANE_HOLDS)).isTrue();
            assertThat(world.relaySleeps()).as("while a frame can go on").isFalse();
        }
    }
}

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
}

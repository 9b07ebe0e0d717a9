package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.host.port.FreedBlocks;
import org.jbmi.zbmi.host.port.PortOpener;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.atomic.AtomicLong;

/** Blocks that a server has freed, until its engine hears of them. */
@Timeout(30)
class FreedBlocksTest {
    private static final int ROOM = 256;
    private static final long SLICE_NS = 1_000_000;

    private final FreedBlocks blocks = new FreedBlocks();

    @Test
    void whileClosedItTakesNone() {
        assertThat(blocks.add(64)).isFalse();
        blocks.open();
        assertThat(blocks.add(64)).isTrue();
        blocks.close();
        assertThat(blocks.add(128)).isFalse();
        assertThat(blocks.hasAny()).isTrue();
        assertThat(blocks.take()).isEqualTo(64);
        assertThat(blocks.hasAny()).isFalse();
    }

    @Test
    void whileFullItTakesNone() {
        blocks.open();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < ROOM; i++) {
                assertThat(blocks.add(i)).isTrue();
            }
            assertThat(blocks.add(ROOM)).isFalse();
            for (int i = 0; i < ROOM; i++) {
                assertThat(blocks.take()).isEqualTo(i);
            }
        }
    }

    /** A block that was never lent: what the engine says about it shows when it hears of it. */
    private static final class Led {
        final AtomicLong nowNs = new AtomicLong(1);
        final PlayedHost host = new PlayedHost(nowNs::get);
        final DirectEngine engine;

        Led() {
            EngineParts parts = host.parts(new LinkTransportsOnly());
            engine = new DirectEngine(parts, host.output, host.context, SLICE_NS);
            parts.table().attachOwnServer(1);
        }

        void attend() {
            for (int i = 0; i < 8; i++) {
                engine.lead(); // in quick succession
            }
        }

        boolean isHeard() {
            return host.errors.stream().anyMatch(text -> text.contains("gave back memory"));
        }
    }

    private static final class LinkTransportsOnly implements SessionTransports {
        @Override
        public PortOpener link(String name) {
            throw new AssertionError("nobody comes");
        }

        @Override
        public PortOpener channel(String name) {
            throw new AssertionError("nobody comes");
        }
    }

    @Test
    void anEngineThatRestsIsTold() {
        Led led = new Led();
        assertThat(led.engine.freedSoon(64)).isFalse();
        led.engine.tell(ServerRequests.UNEXPECTED_FREE, 64, 0);
        assertThat(led.isHeard()).isTrue();
    }

    @Test
    void theNextRoundHandsThemOver() {
        Led led = new Led();
        led.attend();
        assertThat(led.engine.freedSoon(64)).isTrue();
        assertThat(led.isHeard()).isFalse();
        led.engine.lead();
        assertThat(led.isHeard()).isTrue();
    }

    @Test
    void whoGoesToSleepHandsThemOver() {
        Led led = new Led();
        led.attend();
        assertThat(led.engine.freedSoon(64)).isTrue();
        led.engine.prepareSleep(false);
        assertThat(led.isHeard()).isTrue();
        assertThat(led.engine.freedSoon(128)).as("it rests").isFalse();
    }

    @Test
    void theKeeperHandsThemOverIfTheServerStaysAway() {
        Led led = new Led();
        led.attend();
        assertThat(led.engine.freedSoon(64)).isTrue();
        led.engine.keep(); // somebody has led since its last tick
        led.engine.keep();
        assertThat(led.isHeard()).isTrue();
        assertThat(led.engine.freedSoon(128)).as("it rests").isFalse();
    }
}

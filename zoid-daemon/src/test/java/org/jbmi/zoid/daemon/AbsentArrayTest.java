package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/** An array that may be missing, and is: what its size parameter says does not matter. */
@Timeout(60)
class AbsentArrayTest {
    private static final int BEYOND_THE_LIMIT = 5_000_000;

    @TempDir Path folder;

    @Test
    void itNeedsNoRoomInTheReply() {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                Zoid zoid = setup.client(Launch.NONE)) {
            HeldClient held = new HeldClient(zoid);
            int[] values = new int[3];
            assertThat(held.number(values, 3)).isEqualTo(3);
            assertThat(values).containsExactly(0, 1, 2);
            MemorySegment[] rows = {bytes(1), bytes(2)};
            assertThat(held.fill(rows, new int[] {1, 2}, 2)).isEqualTo(2);
            assertThat(rows[1].toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 1);
            for (int count : new int[] {BEYOND_THE_LIMIT, -1}) {
                assertThat(held.number(null, count)).isEqualTo(-1);
                assertThat(held.fill(null, new int[] {count}, 1)).isEqualTo(-1);
            }
        }
    }

    private static MemorySegment bytes(int count) {
        return MemorySegment.ofArray(new byte[count]);
    }
}

package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** A client that is killed after its allocator was called, and before its function was. */
@Timeout(90)
class AbandonedTest {
    private static final int BYTES = 1 << 20;

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "zoid"})
    void thePluginIsToldOfItsMemoryOnceAndTheFunctionDoesNotRun(String method) throws Exception {
        ZoidSettings settings = ZoidSettings.defaults().withUserBufferQuota(BYTES);
        try (DaemonSetup setup = DaemonSetup.of(method, folder, settings)) {
            Process process = peer(setup);
            try {
                setup.functions.allocating.await();
                try (Zoid other = client(setup)) {
                    assertThat(new HeldClient(other).say(1, "no job")).isEqualTo(-1);
                    assertThat(setup.functions.allocatedFor.get())
                            .isPositive()
                            .isNotEqualTo(other.processId());
                }
                process.destroyForcibly().waitFor();
                DaemonSetup.await(() -> setup.daemon.processCount() == 0);
                setup.functions.goesOn.countDown();
                DaemonSetup.await(() -> setup.functions.told.size() > 1);
                // The quota is free again, so this one has its memory.
                DaemonSetup.await(() -> keeps(setup));
                assertThat(setup.functions.told)
                        .startsWith("allocate", "abandoned " + BYTES)
                        .endsWith("allocate", "keep " + BYTES)
                        .hasSize(4);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static Zoid client(DaemonSetup setup) {
        return Zoid.builder(setup.clientBmi)
                .launch(Launch.NONE)
                .withErrorCodes()
                .connect(setup.address());
    }

    private static boolean keeps(DaemonSetup setup) {
        try (Zoid zoid = client(setup);
                Arena arena = Arena.ofShared()) {
            return new HeldClient(zoid).keep(arena.allocate(BYTES), BYTES) == BYTES;
        }
    }

    private static Process peer(DaemonSetup setup) throws IOException {
        return ChildJvm.start(Peer.class, List.of(), setup.address(), setup.runtimeFolder());
    }

    /** A process that hangs in its call until it is killed. */
    static final class Peer {
        private Peer() {}

        public static void main(String[] args) {
            var builder = Bmi.builder();
            if (!args[1].isEmpty()) {
                builder.knob("zoid.runtimeDirectory", args[1]);
            }
            Zoid zoid = Zoid.builder(builder.open()).launch(Launch.NONE).connect(args[0]);
            MemorySegment data = Arena.global().allocate(BYTES);
            new HeldClient(zoid).keep(data, BYTES);
        }
    }
}

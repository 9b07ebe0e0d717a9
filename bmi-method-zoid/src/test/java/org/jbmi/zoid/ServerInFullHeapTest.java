package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A server that hosts its engine closes in a full heap, and leaves nothing when there is memory.
 */
@Timeout(60)
class ServerInFullHeapTest {
    private static final long PATIENCE_S = 40;

    @ParameterizedTest
    @ValueSource(strings = {"embedded", "direct"})
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "ten seconds")
    void theNextServerFindsRoom(String host) throws Exception {
        try (ZoidWorld world = new ZoidWorld(host)) {
            world.startHost();
            String folder = world.directory().toString();
            assertThat(FullHeap.outputOf(Closes.class, "16m", PATIENCE_S, folder, host))
                    .isEqualTo("then another server");
        }
    }

    /** Closes a server in a heap that stays full until the close has given up. */
    static final class Closes {
        private Closes() {}

        public static void main(String[] arguments) throws Exception {
            open(arguments).close(); // loads the classes
            Bmi server = open(arguments);
            Thread keeper = keeper();
            AtomicBoolean isFull = new AtomicBoolean();
            Thread closer = Thread.ofPlatform().start(() -> closeIf(isFull, server));
            Object[] filler = new Object[1 << 16];
            filler[0] = FullHeap.fill();
            isFull.set(true);
            for (int i = 1; closer.isAlive(); i++) {
                filler[i] = FullHeap.fill(2, 2); // the close gives memory back
            }
            Arrays.fill(filler, null);
            keeper.join();
            open(arguments).close();
            System.out.print("then another server");
        }

        private static Bmi open(String[] arguments) {
            Path folder = Path.of(arguments[0]);
            return Bmi.builder()
                    .knob("zoid.runtimeDirectory", folder.resolve("run").toString())
                    .knob("zbmi.segmentDirectory", folder.toString())
                    .knob("zbmi.totalBytes", "4m")
                    .knob("zoid.host", arguments[1])
                    .knob("zoid.attachTimeoutMs", "2000")
                    .listen("zoid://")
                    .open();
        }

        private static Thread keeper() {
            return Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("zbmi-keeper"))
                    .findFirst()
                    .orElseThrow();
        }

        private static void closeIf(AtomicBoolean isFull, Bmi server) {
            while (!isFull.get()) {
                Thread.onSpinWait();
            }
            try {
                server.close();
            } catch (OutOfMemoryError e) {
                // The keeper does later what needs memory.
            }
        }
    }
}

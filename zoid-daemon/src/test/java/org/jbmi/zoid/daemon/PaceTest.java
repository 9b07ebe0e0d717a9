package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Functions that are quick run where calls are taken in; what hangs or fails hurts nobody. */
@Timeout(90)
class PaceTest {
    private static final int CLIENTS = 4;

    @TempDir Path folder;

    @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** It gets a thread of its own until it is known to be quick. */
    private static void meetUntilKnown(HeldClient held) {
        assertThat(held.meet(0)).isTrue();
        while (held.meet(0)) {
            // A machine that is busy makes it slow now and then.
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"loopback", "zoid", "tcp"})
    void aFunctionThatWasAlwaysQuickHangsAndHoldsUpNobody(String method) throws Exception {
        try (DaemonSetup setup = DaemonSetup.of(method, folder, ZoidSettings.defaults())) {
            List<Zoid> hanging = new ArrayList<>();
            List<Future<?>> calls = new ArrayList<>();
            try (Zoid other = setup.client(Launch.NONE)) {
                HeldClient held = new HeldClient(other);
                for (int i = 1; i <= CLIENTS; i++) {
                    if (i == 1) {
                        meetUntilKnown(held);
                    }
                    Zoid zoid = setup.client(Launch.NONE);
                    hanging.add(zoid);
                    calls.add(threads.submit(() -> new HeldClient(zoid).meet(1)));
                    int waiting = i;
                    DaemonSetup.await(() -> count(setup, "waits") == waiting);
                    assertThat(held.say(1, "no job")).isEqualTo(-1);
                    held.meet(0);
                }
                // With so many of them there the next one is not expected to be quick.
                assertThat(held.meet(0)).isTrue();
                hanging.getFirst().close();
                DaemonSetup.await(() -> count(setup, "interrupted") == 1);
                assertThat(held.say(1, "no job")).isEqualTo(-1);
            }
            setup.functions.goesOn.countDown();
            for (Future<?> each : calls.subList(1, CLIENTS)) {
                each.get();
            }
            hanging.forEach(Zoid::close);
        }
    }

    private static int count(DaemonSetup setup, String words) {
        return Collections.frequency(setup.functions.told, words);
    }

    @Test
    void anErrorInAPluginIsTheCallsAndIsLoggedWhereThereIsNone() throws Exception {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults())) {
            setup.functions.failing = true;
            try (Zoid zoid = setup.client(Launch.NONE)) {
                HeldClient held = new HeldClient(zoid);
                assertThatThrownBy(() -> held.meet(2))
                        .isInstanceOfSatisfying(
                                ZoidException.class,
                                e -> assertThat(e.error()).isEqualTo(ZoidError.EREMOTEIO))
                        .hasMessageContaining("The function threw java.lang.NoClassDefFoundError");
                assertThat(held.say(1, "no job")).isEqualTo(-1);
                Statistics.Part part = setup.daemon.statistics().parts().getLast();
                assertThat(part.name()).isEqualTo("Plugin 200");
                assertThat(part.sentMessages()).isEqualTo(part.receivedMessages()).isEqualTo(2);
            }
            DaemonSetup.await(() -> setup.daemon.processCount() == 0);
            assertThat(setup.log)
                    .hasSize(2)
                    .allMatch(
                            sentence ->
                                    sentence.equals(
                                            "The plug-in held failed in proc:"
                                                + " java.lang.NoClassDefFoundError: demo/Gone"));
        }
    }
}

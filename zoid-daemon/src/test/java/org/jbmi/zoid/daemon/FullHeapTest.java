package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** A process ends while there is no memory: neither for a plug-in, nor for a line of the log. */
@Timeout(60)
class FullHeapTest {
    private final HeldFunctions functions =
            new HeldFunctions() {
                @Override
                public void proc(boolean added, int process) {
                    told.add("proc " + added);
                    if (!added) {
                        throw new OutOfMemoryError("planted by the test");
                    }
                }
            };

    @Test
    void theProcessAndItsJobAreForgottenEvenSo() throws Exception {
        LoopbackHub hub = new LoopbackHub();
        try (Bmi server =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen("loopback://server")
                                .open();
                Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open();
                ZoidDaemon daemon =
                        ZoidDaemon.serve(
                                server,
                                ZoidSettings.defaults().withModules(List.of("held")),
                                List.of(functions),
                                _ -> {
                                    throw new OutOfMemoryError("planted by the test");
                                })) {
            Zoid.builder(client)
                    .launch(new Launch(0, 1, "job"))
                    .connect("loopback://server")
                    .close();
            DaemonSetup.await(() -> functions.told.contains("ended job"));
            assertThat(functions.told)
                    .containsExactly("proc true", "proc false", "fini", "ended job");
            DaemonSetup.await(() -> daemon.processCount() == 0);
        }
    }
}

package org.jbmi.tools.zoid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jbmi.zoid.daemon.ZoidAdmin;
import org.jbmi.zoid.daemon.ZoidDaemon;
import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Clients of a ZOID server that come through the gateway of a daemon may be other users'. */
@Timeout(120)
class GatewayClientTest {
    @TempDir private Path folder;

    private BmiBuilder builder() {
        return Bmi.builder().knob("zoid.runtimeDirectory", folder.resolve("z").toString());
    }

    private ZbmiDaemon startedDaemon() {
        return ZbmiDaemon.builder()
                .knob("zoid.runtimeDirectory", folder.resolve("z").toString())
                .knob("zbmi.segmentDirectory", folder.toString())
                .knob("zbmi.totalBytes", "64m")
                .knob("zbmi.gatewayPort", "0")
                .start();
    }

    private static Zoid connected(Bmi client) {
        return connected(client, Duration.ofSeconds(10));
    }

    private static Zoid connected(Bmi client, Duration timeout) {
        return Zoid.builder(client).launch(Launch.NONE).connectTimeout(timeout).connect("zoid://");
    }

    @Test
    void theyChangeNoPluginsAndGetOnlyTheFilesThatAreNamed() {
        ZoidSettings all = ZoidSettings.defaults().withModules(List.of("unix")).withLive(true);
        ZoidSettings some = all.withPluginSetting("unix.root", folder.toString());
        try (ZbmiDaemon daemon = startedDaemon();
                Bmi server = builder().knob("zoid.host", "direct").listen("zoid://").open();
                Bmi own = builder().open();
                Bmi remote =
                        builder()
                                .knob("zoid.clientLink", "socket")
                                .knob("zoid.serverAddress", daemon.gatewayAddresses().getFirst())
                                .open()) {
            try (ZoidDaemon zoid = ZoidDaemon.serve(server, all, said -> {});
                    ZoidAdmin admin = ZoidAdmin.of(remote, "zoid://");
                    Zoid process = connected(own)) {
                assertThat(process.processId()).isNotNegative();
                assertThat(admin.unload("unix").trouble()).contains("own user only");
                assertThat(zoid.plugins()).containsExactly("unix");
                // A refusal is told when the time is over.
                assertThatThrownBy(() -> connected(remote, Duration.ofSeconds(2)))
                        .isInstanceOfSatisfying(
                                ZoidException.class,
                                e -> assertThat(e.error()).isEqualTo(ZoidError.EACCES));
            }
            try (ZoidDaemon zoid = ZoidDaemon.serve(server, some, said -> {});
                    Zoid process = connected(remote)) {
                assertThat(zoid.processCount()).isEqualTo(1);
                assertThat(process.processId()).isNotNegative();
            }
        }
    }
}

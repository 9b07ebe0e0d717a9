package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** How a server is set up. */
class ZoidConfigurationTest {
    @TempDir Path folder;

    @Test
    void whatIsNotSaidIsAsTheOriginalHasIt() {
        ZoidSettings usual = ZoidConfiguration.settings(Map.of(), folder);
        assertThat(usual.smallBytes()).isEqualTo(4096);
        assertThat(usual.largeBytes()).isEqualTo(4_195_328);
        assertThat(usual.limitBytes()).isEqualTo(4_195_328);
        assertThat(usual.thresholdBytes()).isZero();
        assertThat(usual.modules()).containsExactly("unix", "mapping");
        assertThat(usual.userScript()).isNull();
    }

    @Test
    void aFileOfTheOriginalIsRead() throws Exception {
        Path file = folder.resolve("zoid");
        Files.writeString(
                file,
                """
                # The buffers.
                ZOID_BUFFER_SIZE="8192:1048576"
                export ZOID_ACK_THRESHOLD=8   # packets

                ZOID_MODULES='unix_impl.so:unix_preload.so:/lib/mapping_impl.so:mine'
                ZOID_ENABLE_NAT=1
                ZOID_USER_SCRIPT=/bin.rd/zoid-user-script.sh
                ZOID_SETTINGS=unix.root=/data:mapping.sizes=2x2x1x1
                """);
        ZoidSettings settings = ZoidConfiguration.settings(ZoidConfiguration.read(file), null);
        assertThat(settings.smallBytes()).isEqualTo(8192);
        assertThat(settings.limitBytes()).isEqualTo(1 << 20);
        assertThat(settings.thresholdBytes()).isEqualTo(1920);
        assertThat(settings.modules()).containsExactly("unix", "mapping", "mine");
        assertThat(settings.nat()).isTrue();
        assertThat(settings.userScript()).isEqualTo("/bin.rd/zoid-user-script.sh");
        assertThat(settings.plugins())
                .containsEntry("unix.root", "/data")
                .containsEntry("mapping.sizes", "2x2x1x1");
    }

    @Test
    void aProcessWaitsLongerThanTheScriptsOfItsJobMayTake() {
        ZoidSettings settings =
                ZoidConfiguration.settings(Map.of("ZOID_SCRIPT_SECONDS", "1000000"), folder);
        assertThat(settings.joinPatience()).isGreaterThan(Duration.ofSeconds(4_000_000));
    }

    /** Addresses have colons. */
    @ParameterizedTest
    @CsvSource({
        "zoidfs.server=tcp://h:1:unix.root=/d, tcp://h:1",
        "unix.root=/d:zoidfs.server=zoid://a=b:tcp://h:1:, zoid://a=b:tcp://h:1"
    })
    void aColonInASettingIsKept(String value, String server) {
        assertThat(ZoidConfiguration.settings(Map.of("ZOID_SETTINGS", value), null).plugins())
                .isEqualTo(Map.of("zoidfs.server", server, "unix.root", "/d"));
    }

    @Test
    void theEnvironmentSaysTheSame() {
        Map<String, String> variables =
                ZoidConfiguration.ofEnvironment(
                        Map.of("ZOID_BUFFER_SIZE", "4096", "ZOID_RANK", "1", "HOME", "/"));
        assertThat(variables).containsOnlyKeys("ZOID_BUFFER_SIZE");
        assertThat(ZoidConfiguration.settings(variables, null).limitBytes()).isEqualTo(4096);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ZOID_BUFFER_SIZE   | 1:2:3   | ZOID_BUFFER_SIZE is small or small:large
                    ZOID_BUFFER_SIZE   | 4k      | ZOID_BUFFER_SIZE has numbers from 0
                    ZOID_BUFFER_SIZE   | 10      | A buffer has 256 to
                    ZOID_BUFFER_SIZE   | 8192:4096 | The large buffer is smaller than the small one.
                    ZOID_ACK_THRESHOLD | -1      | ZOID_ACK_THRESHOLD has numbers from 0
                    ZOID_ENABLE_NAT    | perhaps | ZOID_ENABLE_NAT is 0 or 1, and not 'perhaps'.
                    ZOID_SETTINGS      | root    | ZOID_SETTINGS is name=value
                    """)
    void aBadValueIsNamed(String name, String value, String sentence) {
        assertThatThrownBy(() -> ZoidConfiguration.settings(Map.of(name, value), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void aBadLineIsNamed() throws Exception {
        Path file = folder.resolve("zoid");
        Files.writeString(file, "ZOID_MODULES=unix\nif true\n");
        assertThatThrownBy(() -> ZoidConfiguration.read(file))
                .hasMessage(file + ":2: a line is NAME=value or a comment.");
    }

    @Test
    void colonsInValuesAreMarked() {
        assertThat(JobHooks.joined(List.of("a:b", "c\\", "d"))).isEqualTo("a\\:b:c\\\\:d");
    }
}

package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WaitMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What is known of our side before it is started. */
@Timeout(60)
class OurSideTest {
    private static PerfPlan plan(String target, Pattern pattern, String host) {
        return new PerfPlan(
                target,
                new Phase(pattern, 64, 1, 0, 0, 0, Phase.Options.NONE),
                List.of(64),
                PerfPlan.Clients.ONE,
                2,
                WaitMode.SPIN,
                CpuPlacement.SPLIT,
                new PerfPlan.Times(1, 50, 0),
                PerfPlan.Peers.NONE,
                Map.of(),
                host,
                false,
                null);
    }

    @Test
    void theThreadsThatAnswerForwardedCallsAreNotKnown(@TempDir Path directory) throws Exception {
        PerfPlan plan = plan("loopback", Pattern.FORWARD, "auto");
        try (OurSide side = new OurSide(plan, List.of(), directory, directory)) {
            assertThat(side.threads()).isEqualTo(new Finding.Threads(1, 0));
        }
        PerfPlan rpc = plan("loopback", Pattern.RPC, "auto");
        try (OurSide side = new OurSide(rpc, List.of(), directory, directory)) {
            assertThat(side.threads()).isEqualTo(new Finding.Threads(1, 2));
        }
    }

    @Test
    void withoutASecondDirectoryNoneIsLeft(@TempDir Path directory) {
        PerfPlan plan = plan("zoid", Pattern.RPC, "auto");
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> new OurSide(plan, List.of(), directory, missing).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("There is no directory");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aRelayIsAnotherThreadThatWaitsAndAServerElsewhereIsNone() {
        assertThat(plan("zoid", Pattern.RPC, "daemon").pollingThreads()).isEqualTo(4);
        assertThat(plan("zoid", Pattern.RPC, "direct").pollingThreads()).isEqualTo(3);
        assertThat(plan("tcp", Pattern.RPC, "daemon").pollingThreads()).isEqualTo(3);
        assertThat(plan("tcp://h:1", Pattern.RPC, "auto").pollingThreads()).isEqualTo(1);
        assertThat(CpuPlacement.SAME.count(8)).isEqualTo(1);
        assertThat(CpuPlacement.SPLIT.count(8)).isEqualTo(2);
        assertThat(CpuPlacement.FREE.count(8)).isEqualTo(8);
    }
}

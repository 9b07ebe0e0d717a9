package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WaitMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What is known of our side before it is started. */
@Timeout(60)
class OurSideTest {
    private static PerfPlan plan(String target, Pattern pattern, String host) {
        return plan(target, pattern, host, CpuPlacement.FREE, 1, 2);
    }

    private static PerfPlan plan(
            String target,
            Pattern pattern,
            String host,
            CpuPlacement cpus,
            int clients,
            int servers) {
        return new PerfPlan(
                target,
                new Phase(pattern, 64, 1, 0, 0, 0, Phase.Options.NONE),
                List.of(64),
                new PerfPlan.Clients(clients, 1, 1),
                servers,
                WaitMode.SPIN,
                cpus,
                new PerfPlan.Times(1, 50, 0),
                new PerfPlan.Peers(List.of(), List.of()),
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

    /** A daemon is not asked what its compilers do. */
    @ParameterizedTest
    @CsvSource({
        "loopback, auto, 1, 1",
        "tcp, auto, 1, 2",
        "tcp://h:1, auto, 3, 4",
        "zoid, daemon, 3, 4"
    })
    void clientsAndServersTellWhatTheirCompilersDo(
            String target, String host, int clients, int expected, @TempDir Path directory)
            throws Exception {
        PerfPlan plan = plan(target, Pattern.RPC, host, CpuPlacement.FREE, clients, 2);
        try (OurSide side = new OurSide(plan, List.of(), directory, directory)) {
            assertThat(side.compiling()).isEqualTo(expected);
        }
    }

    @Test
    void withoutASecondDirectoryNoneIsLeft(@TempDir Path directory) {
        PerfPlan plan = plan("zoid", Pattern.RPC, "auto");
        Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> new OurSide(plan, List.of(), directory, missing).close())
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("which is no directory");
        assertThat(directory).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({
        // What is measured, where, by how many clients and servers: how many are crowded, and
        // where.
        "zoid, RPC, daemon, FREE, 1, 2, 3, 4 on 3",
        "zoid, RPC, daemon, FREE, 1, 2, 8, none",
        "zoid, RPC, direct, FREE, 1, 2, 2, 3 on 2",
        "tcp, RPC, daemon, FREE, 1, 2, 3, none",
        "tcp://h:1, RPC, auto, FREE, 1, 2, 1, none",
        "zoid, RPC, daemon, SPLIT, 1, 1, 8, none",
        "zoid, RPC, daemon, SPLIT, 1, 1, 2, 3 on 2",
        "tcp, RPC, auto, SPLIT, 2, 1, 8, 2 on 1",
        "tcp, RPC, auto, SPLIT, 1, 2, 8, 2 on 1",
        "tcp, RPC, auto, SPLIT, 1, 1, 1, 2 on 1",
        "tcp, RPC, auto, SAME, 1, 1, 8, 2 on 1",
        "tcp://h:1, RPC, auto, SAME, 1, 1, 8, none",
        "tcp, FORWARD, auto, FREE, 1, 4, 2, none",
        "loopback, LOCAL, auto, SAME, 1, 1, 8, none"
    })
    void threadsThatSpinAreCountedWhereTheyRun(
            String target,
            Pattern pattern,
            String host,
            CpuPlacement cpus,
            int clients,
            int servers,
            int processors,
            String crowded) {
        PerfPlan plan = plan(target, pattern, host, cpus, clients, servers);
        assertThat(
                        plan.waiters(processors).stream()
                                .filter(PerfPlan.Waiters::areCrowded)
                                .map(some -> some.threads() + " on " + some.processors())
                                .findFirst()
                                .orElse("none"))
                .isEqualTo(crowded);
    }
}

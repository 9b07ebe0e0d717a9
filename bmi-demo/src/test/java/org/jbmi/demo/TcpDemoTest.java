package org.jbmi.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class TcpDemoTest extends DemoTestSupport {
    @Test
    void shipsAFileBetweenProcesses() throws Exception {
        ProgramRun run =
                demo(file(6_000_000).toString(), "--through", "tcp", "--clients", "3", "--json");
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(run.out()).hasSize(1);
        assertThat(run.out().getFirst()).contains("\"bytes\":6000000");
    }
}

package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** Processes that are looked at while they idle. */
@Timeout(60)
class IdleThreadsTest {
    /** Who waits for the result of the process hears why it has ended. */
    @Test
    void aProcessThatHasEndedIsNoError() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        String said = IdleThreads.amid(4, List.of(process.pid()), "all");
        assertThat(said).startsWith("All processes of all:").endsWith("wakes a second: none.");
    }
}

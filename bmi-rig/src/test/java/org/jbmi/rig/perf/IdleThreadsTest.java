package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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

    /** A kernel without schedstat; nothing at all was counted, and no figure said so. */
    @Test
    void aLivingThreadThatTellsNothingIsAnError(@TempDir Path thread) throws Exception {
        Files.writeString(thread.resolve("comm"), "main\n");
        Files.writeString(thread.resolve("status"), "voluntary_ctxt_switches:\t5\n");
        assertThatThrownBy(() -> new IdleThreads().look(thread))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("schedstat");
        new IdleThreads().look(thread.resolve("ended"));
    }
}

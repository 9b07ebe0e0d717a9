package org.jbmi.tools.zbmi;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Path;

/** The journal of a daemon that goes on or is killed, as the command shows it. */
@Timeout(240)
class JournalCommandTest extends DaemonRuns {
    @Test
    void whoFollowsAJournalHearsThatItsHostWasKilled() throws Exception {
        Path folder = directory.resolve("journal");
        ProgramRun daemon = serve("zbmi.journal=" + folder);
        ProgramRun journal = zbmi("journal", "--follow", folder.toString());
        journal.awaitLine(line -> line.contains("HEADER pid=" + daemon.process().pid()));
        assertThat(journal.process().isAlive()).as(journal.transcript()).isTrue();
        daemon.process().toHandle().destroyForcibly();
        assertThat(journal.awaitEnd()).as(journal.transcript()).isZero();
        assertThat(journal.err())
                .singleElement()
                .asString()
                .startsWith("zbmi journal: the journal has no end");
    }
}

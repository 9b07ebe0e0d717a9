package org.jbmi.zbmi.channel.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zbmi.host.journal.EngineJournal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Journals that cannot be opened. */
@Timeout(60)
class ChronicleJournalProviderTest {
    /** Copies of others may lie in the same folder. */
    private static boolean isCopied(String file) throws IOException {
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return all.filter(path -> path.getFileName().toString().startsWith("zbmi-journal-"))
                    .anyMatch(path -> Files.exists(path.resolve(file)));
        }
    }

    private static Path writeGarbage(Path folder) throws IOException {
        byte[] garbage = new byte[5000];
        new Random(1).nextBytes(garbage);
        return Files.write(folder.resolve("metadata.cq4t"), garbage);
    }

    @Test
    void aFolderInWhichTheLibraryFailsIsNoJournal(@TempDir Path folder) throws IOException {
        writeGarbage(folder);
        assertThatThrownBy(() -> new ChronicleJournalProvider().create(folder).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no journal can be made in " + folder);
    }

    @Test
    void aFailureLeavesNothingInTheWayOfTheNextJournal(@TempDir Path folder) throws IOException {
        Path metadata = writeGarbage(folder);
        ChronicleJournalProvider provider = new ChronicleJournalProvider();
        assertThatThrownBy(() -> provider.create(folder).close()).isInstanceOf(IOException.class);
        Files.delete(metadata);
        provider.create(folder).close();
    }

    @Test
    void whatIsInTheWayIsKnownBefore(@TempDir Path folder) throws IOException {
        ChronicleJournalProvider provider = new ChronicleJournalProvider();
        Path file = Files.createFile(folder.resolve("file"));
        Path fresh = folder.resolve("new/journal");
        assertThat(provider.obstacle(fresh)).isEmpty();
        assertThat(fresh.getParent()).doesNotExist();
        assertThat(provider.obstacle(file)).hasValue(file + " is in the way");
        assertThat(provider.obstacle(file.resolve("a"))).hasValue(file + " is in the way");

        provider.create(fresh).close();
        assertThat(provider.obstacle(fresh)).as("without a record").isEmpty();
        Files.createFile(fresh.resolve("20261130F.cq4"));
        assertThat(provider.obstacle(fresh))
                .hasValue("there is a journal in " + fresh + " already");
    }

    // Neither has written its first record; their records would be mixed.
    @Test
    void ofTwoHostsThatStartAtOnceOneGetsTheFolder(@TempDir Path folder) throws IOException {
        ChronicleJournalProvider provider = new ChronicleJournalProvider();
        try (EngineJournal first = provider.create(folder)) {
            assertThat(first).isNotNull();
            assertThatThrownBy(() -> provider.create(folder).close())
                    .isInstanceOf(IOException.class)
                    .hasMessage("there is a journal in " + folder + " already");
        }
    }

    @Test
    void aHostThatDiedBeforeItsFirstRecordLeavesTheFolderToTheNext(@TempDir Path folder)
            throws IOException {
        Files.createFile(folder.resolve("begun"));
        ChronicleJournalProvider provider = new ChronicleJournalProvider();
        provider.create(folder).close();
        provider.create(folder).close();
    }

    @Test
    void noCopyIsLeftOfOneThatIsNoJournal(@TempDir Path folder) throws IOException {
        String file = ProcessHandle.current().pid() + "-" + System.nanoTime() + ".cq4";
        Files.write(folder.resolve(file), new byte[5000]); // no whole pages: it is copied
        writeGarbage(folder);
        assertThatThrownBy(() -> new ChronicleJournalProvider().open(folder).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the journal in " + folder + " cannot be read");
        assertThat(isCopied(file)).isFalse();
    }

    @Test
    void aFileWithoutAByteHasLostItsEnd(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("20261129F.cq4"));
        CutJournal cut = CutJournal.of(folder, List.of(file));
        assertThat(cut).isNotNull();
        cut.remove();
    }
}

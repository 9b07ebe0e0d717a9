package org.jbmi.zbmi.channel.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    @Test
    void aFolderInWhichTheLibraryFailsIsNoJournal(@TempDir Path folder) throws IOException {
        byte[] garbage = new byte[5000];
        new Random(1).nextBytes(garbage);
        Files.write(folder.resolve("metadata.cq4t"), garbage);
        assertThatThrownBy(() -> new ChronicleJournalProvider().create(folder).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no journal can be made in " + folder);
    }

    @Test
    void noCopyIsLeftOfOneThatIsNoJournal(@TempDir Path folder) throws IOException {
        String file = ProcessHandle.current().pid() + "-" + System.nanoTime() + ".cq4";
        Files.write(folder.resolve(file), new byte[5000]); // no whole pages: it is copied
        byte[] garbage = new byte[5000];
        new Random(1).nextBytes(garbage);
        Files.write(folder.resolve("metadata.cq4t"), garbage);
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

package org.jbmi.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

/** The private directories of programs, and who removes them. */
@Timeout(30)
class PrivateDirectoryTest {
    @TempDir Path parent;

    private Path withFreeLock(String name) throws Exception {
        Path directory = Files.createDirectory(parent.resolve(name));
        Files.writeString(directory.resolve("lock"), "");
        return directory;
    }

    @Test
    void oneThatIsBeingMadeIsNotRemoved() throws Exception {
        Path fresh = withFreeLock("bmi-private-fresh");
        Path dead = withFreeLock("bmi-private-dead");
        Files.setLastModifiedTime(dead, FileTime.fromMillis(0));
        try (PrivateDirectory own = PrivateDirectory.create(parent)) {
            assertThat(own.path()).exists();
            assertThat(fresh.resolve("lock")).exists();
            assertThat(dead).doesNotExist();
        }
    }
}

package org.jbmi.zoid.plugins.unix;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A process that is killed while a file is opened for it: nobody else would close the file. */
class GoneProcessTest {
    @TempDir Path folder;

    @Test
    void theFileIsClosedAgain() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "text");
        UnixFiles files = new UnixFiles(new OneProcess());
        files.proc(true, OneProcess.ID);
        int fd = files.open(file.toString(), 0, 0);
        assertThat(fd).isPositive();
        assertThat(descriptorsOf(file)).hasSize(1);
        files.proc(false, OneProcess.ID);
        assertThat(descriptorsOf(file)).isEmpty();
        // What a call finds that was under way meanwhile.
        assertThat(files.open(file.toString(), 0, 0)).isEqualTo(Errno.EBADF);
        assertThat(descriptorsOf(file)).isEmpty();
        assertThat(files.close(fd)).isEqualTo(Errno.EBADF);
    }

    private static List<Path> descriptorsOf(Path file) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(each -> leadsTo(each, file)).toList();
        }
    }

    private static boolean leadsTo(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (IOException e) {
            return false; // that of the list itself, for example
        }
    }
}

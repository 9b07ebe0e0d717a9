package org.jbmi.zoid.plugins.unix;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.forward.PluginServices;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
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

    /** A server with one process, which makes all calls. */
    private static final class OneProcess implements PluginServices {
        static final int ID = 1;

        @Override
        public int callingProcess() {
            return ID;
        }

        @Override
        public int rankOf(int processId) {
            return -1;
        }

        @Override
        public Optional<String> jobOf(int processId) {
            return Optional.empty();
        }

        @Override
        public int jobSizeOf(int processId) {
            return -1;
        }

        @Override
        public int sendOutput(int processId, int stream, byte[] text) {
            return -1;
        }

        @Override
        public void registerUserBuffer(
                MemorySegment memory, @Nullable Consumer<MemorySegment> callback) {
            throw new IllegalStateException("No call runs.");
        }

        @Override
        public MemorySegment allocateUserBuffer(long bytes) {
            throw new IllegalStateException("No call runs.");
        }

        @Override
        public Optional<String> setting(String name) {
            return Optional.empty();
        }
    }
}

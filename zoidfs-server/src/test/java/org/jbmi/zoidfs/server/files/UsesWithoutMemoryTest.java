package org.jbmi.zoidfs.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** A use that finds no memory holds nothing. */
@Timeout(60)
class UsesWithoutMemoryTest {
    @TempDir private Path folder;
    private boolean isFull;
    private int closed;
    private final SystemCalls calls =
            new SystemCalls(SystemCalls.bind()) {
                @Override
                public int stat(int directory, String path, FileStat into) {
                    if (isFull) {
                        throw new OutOfMemoryError("planted by the test");
                    }
                    return super.stat(directory, path, into);
                }

                @Override
                public void close(int file) {
                    closed++;
                    super.close(file);
                }
            };
    private ExportRoot root;
    private FileHandle handle;

    @BeforeEach
    void start() throws IOException {
        Files.createFile(folder.resolve("f"));
        root = new ExportRoot(ExportSettings.of(folder, ExportKey.random()), calls);
        Request lookup =
                Request.onNames(Operation.LOOKUP, FileSpec.path("/f"), null, null, Hints.NONE);
        handle = Objects.requireNonNull(new FileTree(root).run(calls, lookup, 0).handle());
    }

    @AfterEach
    void stop() {
        root.close(calls);
    }

    private void useWithoutMemory() {
        closed = 0;
        isFull = true;
        assertThatThrownBy(() -> root.use(calls, handle)).isInstanceOf(OutOfMemoryError.class);
        isFull = false;
    }

    @Test
    void aFileThatIsOpenCanBeClosedAfterwards() throws FileFailure {
        root.release(calls, root.use(calls, handle));
        assertThat(root.openFiles()).isEqualTo(1);
        useWithoutMemory();
        root.closeIdle(calls);
        assertThat(root.openFiles()).isZero();
    }

    @Test
    void aFileThatIsOpenedForItIsClosedAgain() {
        root.closeIdle(calls);
        useWithoutMemory();
        assertThat(closed).isEqualTo(1);
        assertThat(root.openFiles()).isZero();
    }
}

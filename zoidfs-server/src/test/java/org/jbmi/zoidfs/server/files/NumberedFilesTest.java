package org.jbmi.zoidfs.server.files;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.os.AtOnceCalls;
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

/** Many look-ups while a file is opened, which push its number out of the table. */
@Timeout(60)
class NumberedFilesTest {
    private static final int FEW = 4;

    @TempDir private Path folder;
    private final SystemCalls real = SystemCalls.bind();
    private final OpeningCalls calls = new OpeningCalls(real);
    private ExportRoot root;
    private FileTree tree;

    /** Has the others looked up once, before a file with a handle is in use. */
    private final class OpeningCalls extends SystemCalls {
        private boolean isAwaited;

        OpeningCalls(SystemCalls real) {
            super(real);
        }

        @Override
        public AtOnceCalls atOnce() {
            if (isAwaited) {
                isAwaited = false;
                lookUpOthers();
            }
            return super.atOnce();
        }
    }

    @BeforeEach
    void start() throws IOException {
        for (int i = 0; i < 2 * FEW; i++) {
            Files.createFile(folder.resolve("other" + i));
        }
        ExportSettings few =
                new ExportSettings(
                        folder, false, ExportKey.random(), 1_024, 15_000, FEW, null, false);
        root = new ExportRoot(few, calls);
        tree = new FileTree(root);
    }

    @AfterEach
    void stop() {
        root.close(calls);
    }

    private FileHandle handle(SystemCalls by, Operation operation, String path) {
        SettableAttributes plain = operation == Operation.CREATE ? SettableAttributes.NONE : null;
        Request request = Request.onNames(operation, FileSpec.path(path), null, plain, Hints.NONE);
        return Objects.requireNonNull(tree.run(by, request, 0).handle());
    }

    private void lookUpOthers() {
        for (int i = 0; i < 2 * FEW; i++) {
            handle(real, Operation.LOOKUP, "/other" + i);
        }
    }

    @Test
    void aFileKeepsItsNumberWhileItIsOpened() throws Exception {
        Files.createFile(folder.resolve("f"));
        FileHandle file = handle(real, Operation.LOOKUP, "/f");
        calls.isAwaited = true;
        OpenFile open = root.use(calls, file);
        assertThat(calls.isAwaited).isFalse();
        assertThat(handle(real, Operation.LOOKUP, "/f")).isEqualTo(file);
        root.release(calls, open);
    }

    @Test
    void aNewFileKeepsItsNumberBeforeItIsInUse() {
        calls.isAwaited = true;
        FileHandle file = handle(calls, Operation.CREATE, "/new");
        assertThat(calls.isAwaited).isFalse();
        assertThat(handle(real, Operation.LOOKUP, "/new")).isEqualTo(file);
    }

    @Test
    void aFileThatWasOpenLosesItsNumber() throws Exception {
        FileHandle file = handle(real, Operation.CREATE, "/new");
        root.release(calls, root.use(calls, file));
        root.closeIdle(calls);
        lookUpOthers();
        assertThat(handle(real, Operation.LOOKUP, "/new")).isNotEqualTo(file);
    }
}

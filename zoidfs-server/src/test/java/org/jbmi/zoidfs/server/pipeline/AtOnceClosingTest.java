package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileTree;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** What the ordering stage does with a file that loses its last name meanwhile. */
@Timeout(60)
class AtOnceClosingTest {
    @TempDir private Path folder;
    private Runnable meanwhile = () -> {};
    private int closed;

    private final class Watched extends SystemCalls {
        Watched() {
            super(SystemCalls.bind());
        }

        @Override
        public int stat(int directory, String path, FileStat into) {
            int found = super.stat(directory, path, into);
            meanwhile.run();
            return found;
        }

        @Override
        public void close(int file) {
            closed++;
            super.close(file);
        }
    }

    private static Request onFile(Operation operation) {
        return Request.onNames(operation, FileSpec.path("/f"), null, null, Hints.NONE);
    }

    @Test
    void theStageClosesTheFileItselfIfNoWorkerCan() throws IOException {
        Files.createFile(folder.resolve("f"));
        SystemCalls others = SystemCalls.bind();
        Watched own = new Watched();
        ExportRoot root = new ExportRoot(ExportSettings.of(folder, ExportKey.random()), others);
        FileTree tree = new FileTree(root);
        FileHandle handle =
                Objects.requireNonNull(tree.run(others, onFile(Operation.LOOKUP), 0).handle());
        Request attributes = Request.getAttr(handle, Attributes.asking(0x7ff), Hints.NONE);
        tree.run(others, attributes, 0);
        AtOnce atOnce =
                new AtOnce(
                        root,
                        own,
                        task -> {
                            throw new OutOfMemoryError("planted by the test");
                        });
        atOnce.beginTurn();
        meanwhile =
                () -> {
                    meanwhile = () -> {};
                    tree.run(others, onFile(Operation.REMOVE), 0);
                };
        assertThat(root.openFiles()).isEqualTo(1);
        atOnce.attributes(attributes);
        assertThat(root.openFiles()).isZero();
        assertThat(closed).isEqualTo(1);
        atOnce.close();
        root.close(others);
    }
}

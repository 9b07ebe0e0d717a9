package org.jbmi.zoidfs.server.files;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** Files that are asked for often, while others move them and what they are in. */
@Timeout(60)
class BeneathCheckTest {
    @TempDir private Path folder;
    private final SystemCalls calls = SystemCalls.bind();
    private final FileStat stat = new FileStat();
    private Path export;
    private Path outside;
    private ExportRoot root;
    private BeneathCheck beneathCheck;
    private OpenFile file;

    @BeforeEach
    void start() throws IOException {
        export = Files.createDirectories(folder.resolve("above/export"));
        outside = Files.createDirectory(folder.resolve("outside"));
        Files.createDirectories(export.resolve("a/b"));
        Files.write(export.resolve("a/b/f"), new byte[10]);
        root = new ExportRoot(ExportSettings.of(export, ExportKey.random()), calls);
        beneathCheck = new BeneathCheck(root, calls);
        file = open("/a/b/f");
        Assumptions.assumeTrue(file.isLocal(), "the file system may be of another host");
    }

    @AfterEach
    void stop() {
        root.release(calls, file);
        beneathCheck.close();
        root.close(calls);
    }

    private OpenFile open(String path) throws IOException {
        Request lookup =
                Request.onNames(Operation.LOOKUP, FileSpec.path(path), null, null, Hints.NONE);
        FileTree tree = new FileTree(root);
        FileHandle handle = Objects.requireNonNull(tree.run(calls, lookup, 0).handle());
        try {
            return root.use(calls, handle);
        } catch (FileFailure e) {
            throw new IOException(e);
        }
    }

    private boolean isUsableNow() {
        beneathCheck.beginTurn();
        return beneathCheck.isUsableNow(file, stat);
    }

    /** What the system says when it is asked. */
    private boolean isBeneath() {
        return calls.atOnce().isBeneath(root.descriptors(), root.folder(), file.place);
    }

    private void ask() {
        for (int i = 0; i < 2 * BeneathCheck.OFTEN; i++) {
            assertThat(isUsableNow()).isTrue();
        }
        assertThat(beneathCheck.isKnown(file)).as("it is not asked for any more").isTrue();
    }

    @Test
    void whatIsMovedOutIsNotedAtOnce() throws IOException {
        ask();
        Files.move(export.resolve("a/b/f"), outside.resolve("f"));
        assertThat(isUsableNow()).isFalse();
        Files.move(outside.resolve("f"), export.resolve("a/b/f"));
        ask();
        Files.move(export.resolve("a/b"), outside.resolve("b"));
        assertThat(isUsableNow()).isFalse();
        Files.move(outside.resolve("b"), export.resolve("b"));
        ask();
        Files.createDirectory(export.resolve("new"));
        Files.move(export.resolve("b"), export.resolve("new/b"));
        ask();
        Files.move(export.resolve("new"), outside.resolve("new"));
        // A link in its place leads to the same file, which is outside all the same.
        Files.createSymbolicLink(export.resolve("new"), outside.resolve("new"));
        assertThat(isUsableNow()).isFalse();
    }

    @Test
    void aFileWhoseNameGoesWithAnotherOneOutsideIsAskedForAnew() throws IOException {
        ask();
        Files.createLink(outside.resolve("twin"), export.resolve("a/b/f"));
        Files.delete(export.resolve("a/b/f"));
        beneathCheck.beginTurn();
        assertThat(beneathCheck.isUsableNow(file, stat)).isEqualTo(isBeneath());
        assertThat(beneathCheck.isKnown(file)).isFalse();
        Files.delete(outside.resolve("twin"));
        assertThat(isUsableNow()).isFalse();
    }

    @Test
    void theExportMayMoveWithAllThatIsInIt() throws IOException {
        ask();
        Files.move(folder.resolve("above"), folder.resolve("elsewhere"));
        ask();
        Files.move(folder.resolve("elsewhere/export/a/b/f"), outside.resolve("f"));
        assertThat(isUsableNow()).isFalse();
    }

    @Test
    void aFolderIsKnownLikeAFile() throws IOException {
        OpenFile leaf = file;
        file = open("/a/b");
        ask();
        OpenFile inner = file;
        file = leaf;
        ask();
        Files.move(export.resolve("a/b"), outside.resolve("b"));
        assertThat(isUsableNow()).as("what is in it").isFalse();
        file = inner;
        assertThat(isUsableNow()).isFalse();
        root.release(calls, leaf);
    }

    @Test
    void itSaysWhatTheSystemSaysWhateverIsMoved() throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<Path> names =
                List.of(
                        export.resolve("a"),
                        export.resolve("a/b"),
                        export.resolve("a/b/f"),
                        export.resolve("f"),
                        export.resolve("c"),
                        export.resolve("c/b"),
                        outside.resolve("a"),
                        outside.resolve("b"),
                        outside.resolve("f"));
        int known = 0;
        for (int i = 0; i < 300; i++) {
            Path from = names.get(random.nextInt(names.size()));
            Path to = names.get(random.nextInt(names.size()));
            boolean isPossible =
                    Files.exists(from)
                            && Files.notExists(to)
                            && Files.isDirectory(to.getParent())
                            && !to.startsWith(from);
            if (isPossible) {
                Files.move(from, to);
            }
            for (int k = random.nextInt(3 * BeneathCheck.OFTEN); k > 0; k--) {
                assertThat(isUsableNow()).as("after step %d", i).isEqualTo(isBeneath());
            }
            known += beneathCheck.isKnown(file) ? 1 : 0;
        }
        assertThat(known).isPositive();
    }
}

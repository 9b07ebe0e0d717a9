package org.jbmi.zoidfs.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zoidfs.protocol.AttributeMask;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.os.AtOnceCalls;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/** An operation that finds no memory closes what it has opened, once. */
@Timeout(60)
class DescriptorsWithoutMemoryTest {
    private static final int NEVER = -1;
    private static final long ROOM_BYTES = 1 << 16;

    @TempDir private Path folder;
    private final Planted calls = new Planted();
    private @Nullable ExportRoot root;

    /** Notes what is open, and throws at a look at attributes. */
    private static final class Planted extends SystemCalls {
        private final Set<Integer> open = new HashSet<>();
        private int looksLeft = NEVER;

        Planted() {
            super(SystemCalls.bind());
        }

        private int noted(int file) {
            if (file >= 0) {
                open.add(file);
            }
            return file;
        }

        @Override
        public int open(int directory, String path, int flags, int mode) {
            return noted(super.open(directory, path, flags, mode));
        }

        @Override
        public int openBeneath(int directory, String path, int flags) {
            return noted(super.openBeneath(directory, path, flags));
        }

        @Override
        public int stat(int directory, String path, FileStat into) {
            if (looksLeft != NEVER && looksLeft-- == 0) {
                throw new OutOfMemoryError("planted by the test");
            }
            return super.stat(directory, path, into);
        }

        @Override
        public void close(int file) {
            assertThat(open.remove(file)).as("it is open").isTrue();
            super.close(file);
        }
    }

    @BeforeEach
    void start() throws IOException {
        Files.createFile(folder.resolve("f"));
        root =
                new ExportRoot(
                        ExportSettings.of(folder, ExportKey.random()).withoutFileSystemHandles(),
                        calls);
    }

    @AfterEach
    void stop() {
        root().close(calls);
        assertThat(calls.open).isEmpty();
    }

    private ExportRoot root() {
        return Objects.requireNonNull(root);
    }

    private FileHandle handle(String path) {
        Request lookup =
                Request.onNames(Operation.LOOKUP, FileSpec.path(path), null, null, Hints.NONE);
        return Objects.requireNonNull(new FileTree(root()).run(calls, lookup, 0).handle());
    }

    private void assertClosesAll(int looks, ThrowingCallable operation) {
        root().closeIdle(calls);
        Set<Integer> before = Set.copyOf(calls.open);
        calls.looksLeft = looks;
        assertThatThrownBy(operation).isInstanceOf(OutOfMemoryError.class);
        assertThat(calls.looksLeft).isEqualTo(NEVER);
        root().closeIdle(calls);
        assertThat(calls.open).isEqualTo(before);
    }

    @Test
    void aListThatFindsNoMemoryAtAnEntry() {
        Request list = Request.readdir(handle("/"), 0, 100, AttributeMask.ALL, Hints.NONE);
        FileTree tree = new FileTree(root());
        // Those before it open the folder, and check it.
        assertClosesAll(3, () -> tree.run(calls, list, ROOM_BYTES));
    }

    @Test
    void aFileWithANumberOfWhichAPathIsTried() {
        FileHandle file = handle("/f");
        assertClosesAll(0, () -> root().use(calls, file));
    }

    /** If another file gets the number in between, the second close takes it from that one. */
    @Test
    void aNewFileForWhichTheTableHasNoRoomIsClosedOnce() throws Exception {
        assertThat(FullHeap.outputOf(Child.class, "24m")).isEqualTo("closes: 1");
    }

    /** Makes a file with which the table of open files grows, while the heap is full. */
    static final class Child extends SystemCalls {
        private static final int BEFORE = 384;

        private int made = NEVER;
        private int closes;
        private boolean isAwaited;
        private @Nullable Object filler;

        Child() {
            super(SystemCalls.bind());
        }

        @Override
        public int open(int directory, String path, int flags, int mode) {
            int file = super.open(directory, path, flags, mode);
            made = (flags & O_CREAT) != 0 ? file : made;
            return file;
        }

        @Override
        public AtOnceCalls atOnce() {
            if (isAwaited) {
                isAwaited = false;
                filler = FullHeap.fill(1 << 16, 1 << 6);
            }
            return super.atOnce();
        }

        @Override
        public void close(int file) {
            closes += file == made ? 1 : 0;
            super.close(file);
        }

        private static Request create(int number) {
            return Request.onNames(
                    Operation.CREATE,
                    FileSpec.path("/f" + number),
                    null,
                    SettableAttributes.NONE,
                    Hints.NONE);
        }

        public static void main(String[] args) throws IOException {
            Path folder = Files.createTempDirectory("descriptors");
            System.out.print(new Child().run(folder));
            System.out.flush();
            try (var files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
            Runtime.getRuntime().halt(0);
        }

        private String run(Path folder) throws IOException {
            FileTree tree =
                    new FileTree(
                            new ExportRoot(ExportSettings.of(folder, ExportKey.random()), this));
            for (int i = 0; i < BEFORE; i++) {
                tree.run(this, create(i), 0);
            }
            Request last = create(BEFORE);
            closes = 0;
            isAwaited = true;
            boolean isFull = false;
            try {
                tree.run(this, last, 0);
            } catch (OutOfMemoryError e) {
                isFull = true;
            }
            filler = null;
            return isFull ? "closes: " + closes : "The heap was not full.";
        }
    }
}

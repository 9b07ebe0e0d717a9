package org.jbmi.zoid.plugins.unix;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.plugins.unix.Unix.UnixStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Names with slashes and dots, with a setting for the root and without. */
@Timeout(60)
class UnixNamesTest {
    private static final int WRITE = 1;
    private static final int CREATE = 0100;
    private static final int FOLDER = 0200000;

    /** The columns of the tables. */
    private static final List<String> NAMES =
            List.of(
                    "f/",
                    "f/.",
                    "d/",
                    "d/.",
                    "d/..",
                    "link/",
                    "link/.",
                    "dangling/",
                    "dangling/.",
                    "loop/",
                    "new/",
                    "new/.",
                    "none/../f",
                    "f/../g",
                    "f/..",
                    "none/new/",
                    "f/x/");

    @TempDir Path folder;

    /** Each number is what Linux 6.18 returned for the name. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ':',
            value = {
                "unlink         : -20 -20 -21 -21 -21 -20 -21 -20  -2 -20  -2  -2  -2 -20 -20  -2"
                        + " -20",
                "rmdir          : -20 -20   0 -22 -39 -20 -22 -20  -2 -20  -2  -2  -2 -20 -20  -2"
                        + " -20",
                "mkdir          : -17 -20 -17 -17 -17 -17 -17 -17  -2 -17   0  -2  -2 -20 -20  -2"
                        + " -20",
                "symlink        : -17 -20 -17 -17 -17 -17 -17 -17  -2 -17  -2  -2  -2 -20 -20  -2"
                        + " -20",
                "link to        : -17 -20 -17 -17 -17 -17 -17 -17  -2 -17  -2  -2  -2 -20 -20  -2"
                        + " -20",
                "link from      : -20 -20  -1  -1  -1  -1  -1  -2  -2 -40  -2  -2  -2 -20 -20  -2"
                        + " -20",
                "rename from    : -20 -20   0 -16 -16 -20 -16 -20  -2 -20  -2  -2  -2 -20 -20  -2"
                        + " -20",
                "rename to      : -20 -20 -20 -16 -16 -20 -16 -20  -2 -20 -20  -2  -2 -20 -20  -2"
                        + " -20",
                "readlink       : -20 -20 -22 -22 -22 -22 -22  -2  -2 -40  -2  -2  -2 -20 -20  -2"
                        + " -20",
                "lstat          : -20 -20   0   0   0   0   0  -2  -2 -40  -2  -2  -2 -20 -20  -2"
                        + " -20",
                "create         : -21 -20 -21 -21 -21 -21 -21 -21  -2 -21 -21  -2  -2 -20 -20  -2"
                        + " -20",
                "create to read : -21 -20 -21 -21 -21 -21 -21 -21  -2 -21 -21  -2  -2 -20 -20  -2"
                        + " -20",
                "open a folder  : -20 -20   0   0   0   0   0  -2  -2 -40  -2  -2  -2 -20 -20  -2"
                        + " -20",
            })
    void eachNameHasTheErrorOfLinux(String call, String numbers) throws Exception {
        List<Integer> expected = Arrays.stream(numbers.split(" +")).map(Integer::valueOf).toList();
        assertThat(results(call, false)).as("without a root").isEqualTo(expected);
        assertThat(results(call, true)).as("with a root").isEqualTo(expected);
    }

    private List<Integer> results(String call, boolean hasRoot) throws IOException {
        List<Integer> results = new ArrayList<>();
        for (String name : NAMES) {
            Path tree = tree();
            UnixFiles files =
                    new UnixFiles(hasRoot ? new OneProcess(tree.toString()) : new OneProcess());
            files.proc(true, OneProcess.ID);
            String in = hasRoot ? "/" : tree + "/";
            results.add(Math.min(0, result(files, call, in, in + name)));
            files.proc(false, OneProcess.ID);
        }
        return results;
    }

    private Path tree() throws IOException {
        Path tree = Files.createTempDirectory(folder, "tree");
        Files.writeString(tree.resolve("f"), "f");
        Files.writeString(tree.resolve("g"), "g");
        Files.createDirectory(tree.resolve("d"));
        Files.createSymbolicLink(tree.resolve("link"), Path.of("d"));
        Files.createSymbolicLink(tree.resolve("dangling"), Path.of("none"));
        Files.createSymbolicLink(tree.resolve("loop"), Path.of("loop"));
        return tree;
    }

    private static int result(UnixFiles files, String call, String in, String path) {
        return switch (call) {
            case "unlink" -> files.unlink(path);
            case "rmdir" -> files.rmdir(path);
            case "mkdir" -> files.mkdir(path, 0700);
            case "symlink" -> files.symlink("f", path);
            case "link to" -> files.link(in + "f", path);
            case "link from" -> files.link(path, in + "fresh");
            case "rename from" -> files.rename(path, in + "fresh");
            case "rename to" -> files.rename(in + "g", path);
            case "readlink" -> (int) files.readlink(path, MemorySegment.NULL, new LongCell(0));
            case "lstat" -> files.lstat(path, new Cell<>());
            case "create" -> files.open(path, WRITE | CREATE, 0600);
            case "create to read" -> files.open(path, CREATE, 0600);
            case "open a folder" -> files.open(path, FOLDER, 0);
            default -> throw new IllegalArgumentException(call);
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFolderThatIsNotThereIsNoFile(boolean hasRoot) throws Exception {
        Path tree = tree();
        UnixFiles files =
                new UnixFiles(hasRoot ? new OneProcess(tree.toString()) : new OneProcess());
        files.proc(true, OneProcess.ID);
        String in = hasRoot ? "/" : tree + "/";
        assertThat(files.open(in + "f", FOLDER, 0)).isEqualTo(Errno.ENOTDIR);
        assertThat(files.open(in + "none", FOLDER, 0)).isEqualTo(Errno.ENOENT);
        assertThat(files.open(in + "dangling", FOLDER, 0)).isEqualTo(Errno.ENOENT);
        assertThat(files.open(in + "loop", FOLDER, 0)).isEqualTo(-40);
        assertThat(files.open(in + "new", FOLDER | CREATE, 0600)).isEqualTo(Errno.EINVAL);
        assertThat(files.access(in + "f", 8)).isEqualTo(Errno.EINVAL);
        files.proc(false, OneProcess.ID);
    }

    /** The system takes the dots after a link from where the link leads. */
    @Test
    void dotsDoNotLeadOutOfTheRoot() throws Exception {
        Path root = Files.createDirectories(folder.resolve("root/d")).getParent();
        Files.writeString(folder.resolve("secret"), "secret");
        Files.createSymbolicLink(root.resolve("self"), root);
        UnixFiles files = new UnixFiles(new OneProcess(root.toString()));
        Cell<UnixStatus> status = new Cell<>();
        for (String path : List.of("..", "d/../..", "self/..", "self/../secret")) {
            assertThat(files.stat(path, status)).as(path).isEqualTo(Errno.EACCES);
            assertThat(files.lstat(path, status)).as(path).isEqualTo(Errno.EACCES);
            assertThat(files.lstat(path + "/", status)).as(path).isEqualTo(Errno.EACCES);
            assertThat(files.unlink(path)).as(path).isEqualTo(Errno.EACCES);
            assertThat(files.rmdir(path)).as(path).isEqualTo(Errno.EACCES);
        }
        assertThat(files.stat("self/d/..", status)).isZero();
        assertThat(folder.resolve("secret")).exists();
    }
}

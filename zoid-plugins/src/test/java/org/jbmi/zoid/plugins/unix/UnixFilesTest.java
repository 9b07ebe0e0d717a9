package org.jbmi.zoid.plugins.unix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.plugins.unix.Unix.UnixStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The files of one process, without a server. */
@Timeout(60)
class UnixFilesTest {
    private static final int WRITE = 1;
    private static final int CREATE = 0100;
    private static final int EXCLUSIVE = 0200;
    private static final int APPEND = 02000;
    private static final int ENOTDIR = -20;

    @TempDir Path folder;

    @AutoClose private final ExecutorService threads = Executors.newSingleThreadExecutor();

    private final UnixFiles files = new UnixFiles(new OneProcess());

    @BeforeEach
    void begin() {
        files.proc(true, OneProcess.ID);
    }

    @AfterEach
    void end() {
        files.proc(false, OneProcess.ID);
    }

    /** Else each call would fail, and an empty word would mean the folder of the server. */
    @Test
    void theRootIsAFolder() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        for (String root : List.of("", folder.resolve("none").toString(), file.toString())) {
            assertThatThrownBy(() -> new UnixProvider().open(new OneProcess(root)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The setting unix.root is a folder, and not '" + root + "'.");
        }
        assertThat(new UnixProvider().open(new OneProcess(folder.toString()))).isNotNull();
    }

    /** Without it each call of each client fails, until an administrator makes it again. */
    @ParameterizedTest
    @ValueSource(strings = {"/", "//"})
    void theRootItselfStays(String path) {
        UnixFiles some = new UnixFiles(new OneProcess(folder.toString()));
        assertThat(some.rmdir(path)).isEqualTo(-16);
        assertThat(folder).isDirectory();
    }

    private int opened(Path file, int flags) {
        int fd = files.open(file.toString(), flags, 0600);
        assertThat(fd).isPositive();
        return fd;
    }

    /** The open would wait for a writer, which may never come. */
    @Test
    void aFifoIsRefused() throws Exception {
        Path fifo = folder.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        Future<Integer> opened = threads.submit(() -> files.open(fifo.toString(), 0, 0));
        try {
            assertThat(opened.get(20, TimeUnit.SECONDS)).isEqualTo(-6);
        } finally {
            new RandomAccessFile(fifo.toFile(), "rw").close(); // ends an open that still waits
        }
        assertThat(files.open(fifo.toString(), WRITE | CREATE | EXCLUSIVE, 0600)).isEqualTo(-17);
    }

    /** A byte that it writes at the end could go over the byte of another process. */
    @Test
    void aFileBecomesLargerWithoutAWrite() throws Exception {
        Path file = folder.resolve("file");
        int fd = opened(file, WRITE | CREATE);
        String empty = blocks(file);
        assertThat(files.ftruncate(fd, 1 << 20)).isZero();
        assertThat(file).hasSize(1 << 20);
        assertThat(blocks(file)).isEqualTo(empty); // each write takes some
        assertThat(files.ftruncate(fd, 5)).isZero();
        assertThat(file).hasSize(5);
        assertThat(files.ftruncate(fd, -1)).isEqualTo(Errno.EINVAL);
        assertThat(files.ftruncate(opened(file, 0), 10)).isEqualTo(Errno.EBADF);
    }

    private static String blocks(Path file) throws Exception {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        try (BufferedReader reader = stat.inputReader()) {
            return reader.readLine();
        } finally {
            stat.waitFor();
        }
    }

    @Test
    void aFileThatLeftItsPathDoesNotBecomeLarger() throws Exception {
        Path file = folder.resolve("file");
        int fd = opened(file, WRITE | CREATE);
        Files.delete(file);
        assertThat(files.ftruncate(fd, 10)).isEqualTo(Errno.ESTALE);
        assertThat(file).doesNotExist();
        Files.writeString(file, "other");
        assertThat(files.ftruncate(fd, 10)).isEqualTo(Errno.ESTALE);
        assertThat(file).hasContent("other");
    }

    @Test
    void theStatusIsThatOfTheOpenFile() throws Exception {
        Path file = folder.resolve("file");
        Cell<UnixStatus> status = new Cell<>();
        int fd = opened(file, WRITE | CREATE);
        assertThat(files.fstat(fd, status)).isZero();
        Path other = Files.writeString(folder.resolve("other"), "other");
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(files.fstat(fd, status)).isEqualTo(Errno.ESTALE);
        Files.delete(file);
        assertThat(files.fstat(fd, status)).isEqualTo(Errno.ESTALE);
        assertThat(files.fstat(opened(file, WRITE | CREATE), status)).isZero();
    }

    @Test
    void anOpenForReadingCreatesTheFile() throws Exception {
        Path lock = folder.resolve("lock");
        int fd = opened(lock, CREATE);
        assertThat(files.write(fd, text("x"), 1)).isEqualTo(Errno.EBADF);
        assertThat(permissions(lock)).isEqualTo("rw-------");
        assertThat(files.open(lock.toString(), CREATE | EXCLUSIVE, 0600)).isEqualTo(-17);
        opened(lock, CREATE);
        opened(folder.resolve("new"), CREATE | EXCLUSIVE);
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("target"));
        assertThat(files.open(link.toString(), CREATE | EXCLUSIVE, 0600)).isEqualTo(-17);
        opened(link, CREATE);
        assertThat(folder.resolve("target")).exists();
    }

    /** The mode is for later opens; root may do all, so this shows more to another user. */
    @ParameterizedTest
    @CsvSource({"0, 0200, -w-------", "01, 0400, r--------", "02, 0, ---------"})
    void aNewFileIsOpenWhateverItsMode(String access, String mode, String permissions)
            throws Exception {
        Path file = folder.resolve("file");
        int flags = Integer.parseInt(access, 8) | CREATE | APPEND;
        int fd = files.open(file.toString(), flags, Integer.parseInt(mode, 8));
        assertThat(fd).isPositive();
        assertThat(permissions(file)).isEqualTo(permissions);
        if (access.equals("0")) {
            assertThat(files.read(fd, text("x"), new LongCell(1))).isZero();
        } else {
            assertThat(files.write(fd, text("x"), 1)).isOne();
            assertThat(Files.size(file)).isOne();
        }
    }

    /** Nothing else would close it: such channels have no cleaner. */
    @Test
    void aFileThatCannotBeKeptIsClosed() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "text");
        Set<OpenOption> full =
                new HashSet<>(Set.of(StandardOpenOption.WRITE)) {
                    @Override
                    public boolean contains(Object option) {
                        throw new OutOfMemoryError("planted by the test");
                    }
                };
        var mode = PosixFilePermissions.asFileAttribute(Set.of());
        assertThatThrownBy(() -> OpenFile.open(file, full, mode, true))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(descriptors(file)).isZero();
        UnixFiles some =
                new UnixFiles(
                        new OneProcess() {
                            @Override
                            public int callingProcess() {
                                throw new OutOfMemoryError("planted by the test");
                            }
                        });
        assertThatThrownBy(() -> some.open(file.toString(), 0, 0))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(descriptors(file)).isZero();
        opened(file, 0);
        assertThat(descriptors(file)).isOne();
    }

    /** How many descriptors of this process lead to a file. */
    private static long descriptors(Path file) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(each -> leadsTo(each, file)).count();
        }
    }

    private static boolean leadsTo(Path link, Path file) {
        try {
            return Files.readSymbolicLink(link).equals(file);
        } catch (IOException e) {
            return false; // it has been closed
        }
    }

    /** As Linux words them; one that begins like another is not taken for that. */
    @ParameterizedTest
    @CsvSource({
        "Directory not empty, -39",
        "Text file busy, -26",
        "Device or resource busy, -16",
        "Illegal seek, -29",
        "Too many links, -31",
        "Broken pipe, -32",
        "No locks available, -37",
        "Protocol error, -71",
        "Host is down, -112",
        "Required key not available, -126",
        "No such device, -19",
        "No such device or address, -6",
        "Stale file handle, -116",
        "Operation not supported, -95",
        "Too many open files in system, -23",
        "Too many open files, -24",
        "Input/output error, -5",
    })
    void anErrorOfTheSystemHasItsNumber(String words, int number) {
        assertThat(Errno.of(new FileSystemException("f", null, words))).isEqualTo(number);
        assertThat(Errno.of(new IOException(words))).isEqualTo(number);
    }

    /** As Linux has it, with a setting for the root and without. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSlashAtTheEndMeansAFolder(boolean hasRoot) throws Exception {
        UnixFiles some = hasRoot ? new UnixFiles(new OneProcess(folder.toString())) : files;
        String in = hasRoot ? "/" : folder + "/";
        some.proc(true, OneProcess.ID);
        Files.writeString(folder.resolve("f"), "f");
        Files.createDirectories(folder.resolve("d"));
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("d"));
        Cell<UnixStatus> status = new Cell<>();
        assertThat(some.open(in + "f/", 0, 0)).isEqualTo(ENOTDIR);
        assertThat(some.open(in + "d/", WRITE, 0)).isEqualTo(Errno.EISDIR);
        assertThat(some.open(in + "new/", WRITE | CREATE, 0600)).isEqualTo(Errno.EISDIR);
        assertThat(some.stat(in + "f/", status)).isEqualTo(ENOTDIR);
        assertThat(some.access(in + "f/", 4)).isEqualTo(ENOTDIR);
        assertThat(some.unlink(in + "f/")).isEqualTo(ENOTDIR);
        assertThat(some.unlink(in + "d/")).isEqualTo(Errno.EISDIR);
        assertThat(some.unlink(in + "link/")).isEqualTo(ENOTDIR);
        assertThat(some.rmdir(in + "link/")).isEqualTo(ENOTDIR);
        assertThat(some.lstat(in + "link/", status)).isZero();
        assertThat(status.get().mode() & 0170000).isEqualTo(0040000);
        assertThat(some.rename(in + "f/", in + "new")).isEqualTo(ENOTDIR);
        assertThat(some.rename(in + "f", in + "new/")).isEqualTo(ENOTDIR);
        assertThat(some.rename(in + "link/", in + "new")).isEqualTo(ENOTDIR);
        assertThat(some.link(in + "f", in + "new/")).isEqualTo(Errno.ENOENT);
        assertThat(some.symlink("f", in + "new/")).isEqualTo(Errno.ENOENT);
        assertThat(some.mkdir(in + "new/", 0700)).isZero();
        assertThat(some.rename(in + "new/", in + "newer/")).isZero();
        assertThat(some.rmdir(in + "newer/")).isZero();
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("f", "d", "link");
        some.proc(false, OneProcess.ID);
    }

    @Test
    void aPathHasTheErrorsThatLinuxHas() throws Exception {
        Path file = Files.writeString(folder.resolve("f"), "f");
        Path full = Files.createDirectories(folder.resolve("full/inner")).getParent();
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThat(files.rename(empty.toString(), full.toString())).isEqualTo(-39);
        assertThat(files.open("", 0, 0)).isEqualTo(Errno.ENOENT);
        assertThat(files.unlink("")).isEqualTo(Errno.ENOENT);
        assertThat(files.mkdir("", 0700)).isEqualTo(Errno.ENOENT);
        assertThat(files.access(file + "/x", 0)).isEqualTo(ENOTDIR);
        assertThat(files.access(file + "/x", 4)).isEqualTo(ENOTDIR);
        assertThat(files.stat(file + "/x", new Cell<>())).isEqualTo(ENOTDIR);
        assertThat(files.access(folder + "/none", 4)).isEqualTo(Errno.ENOENT);
        assertThat(files.access(file.toString(), 6)).isZero();
        Files.setPosixFilePermissions(file, Set.of());
        assertThat(files.access(file.toString(), 1)).isEqualTo(Errno.EACCES); // for root, too
        assertThat(files.open(empty.toString(), CREATE, 0600)).isEqualTo(Errno.EISDIR);
        assertThat(files.open(empty.toString(), CREATE | EXCLUSIVE, 0600)).isEqualTo(-17);
        assertThat(files.open(empty.toString(), WRITE | CREATE | EXCLUSIVE, 0600)).isEqualTo(-17);
    }

    /** A folder that is listed wraps the exceptions of the system. */
    @Test
    void aFailureInTheMiddleOfAFolderHasItsErrorNumber() {
        assertThat(
                        UnixFiles.tried(
                                () -> {
                                    throw new UncheckedIOException(new AccessDeniedException("x"));
                                }))
                .isEqualTo(Errno.EACCES);
    }

    private static String permissions(Path file) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static MemorySegment text(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }
}

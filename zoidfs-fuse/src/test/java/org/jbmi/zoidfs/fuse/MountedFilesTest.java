package org.jbmi.zoidfs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.cryptomator.jfuse.api.DirFiller;
import org.cryptomator.jfuse.api.FileInfo;
import org.cryptomator.jfuse.api.Fuse;
import org.cryptomator.jfuse.api.Stat;
import org.cryptomator.jfuse.api.TimeSpec;
import org.jbmi.Bmi;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.ZoidfsServer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/** What a mount answers to the kernel, asked without one, so that no FUSE is needed. */
@Timeout(90)
class MountedFilesTest {
    private static final int TIMES = Boolean.getBoolean("jbmi.long") ? 30 : 10;

    private static final int O_WRONLY = 1;
    private static final int O_APPEND = 0x400;
    private static final int EIO = 5;
    private static final int EINVAL = 22;
    private static final int ENOMEM = 12;

    @TempDir private Path folder;

    /** Takes whatever it is told, and forgets it. */
    private static <T> T forgetful(Class<T> type) {
        return answering(
                method ->
                        method.getReturnType() == TimeSpec.class ? forgetful(TimeSpec.class) : null,
                type);
    }

    private static <T> T answering(
            Function<Method, @Nullable Object> answers, Class<T> type, Class<?>... more) {
        return type.cast(
                Proxy.newProxyInstance(
                        MountedFilesTest.class.getClassLoader(),
                        Stream.concat(Stream.of(type), Stream.of(more)).toArray(Class<?>[]::new),
                        (proxy, method, arguments) -> answers.apply(method)));
    }

    /** Asks until a file that comes and goes was found, and not found, many times each. */
    private static void assertThereOrNot(String what, IntSupplier asked) {
        int there = 0;
        int gone = 0;
        while (there < TIMES || gone < TIMES) {
            int result = asked.getAsInt();
            assertThat(result).as(what).isIn(0, -Status.NOENT);
            there += result == 0 ? 1 : 0;
            gone += result == 0 ? 0 : 1;
        }
    }

    private static void comeAndGo(Path file, AtomicBoolean ended) {
        try {
            while (!ended.get()) {
                Files.writeString(file, "x");
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A test of the answers to two mounts of one server. */
    private interface Asking {
        void ask(MountedFiles one, MountedFiles other) throws IOException;
    }

    private void withTwoMounts(Asking asking) throws IOException {
        withTwoMounts(folder, asking);
    }

    private static void withTwoMounts(Path served, Asking asking) throws IOException {
        ExportSettings export = ExportSettings.of(served, ExportKey.random());
        try (Bmi bmi =
                        Bmi.builder()
                                .automaticReferences(true)
                                .knob("tcp.bindSpecific", "true")
                                .listen("tcp://127.0.0.1:0")
                                .open();
                ZoidfsServer server =
                        ZoidfsServer.serve(bmi, export, Dialect.MAIN, Limits.DEFAULT);
                Bmi own = Bmi.open();
                ZoidfsClient one = client(own, bmi);
                ZoidfsClient other = client(own, bmi)) {
            assertThat(server.calls()).isZero();
            asking.ask(files(one), files(other));
        }
    }

    private static ZoidfsClient client(Bmi own, Bmi server) {
        String address = "tcp://127.0.0.1:" + server.getOption(TcpOptions.PORT);
        return ZoidfsClient.connect(own, address, ClientOptions.DEFAULT);
    }

    private static MountedFiles files(ZoidfsClient client) {
        return new MountedFiles(client, Fuse.builder().errno(), () -> {});
    }

    /** What the kernel keeps of an open file. */
    private static final class Open implements FileInfo {
        private final int flags;
        private long number;

        Open(int flags) {
            this.flags = flags;
        }

        @Override
        public long getFh() {
            return number;
        }

        @Override
        public void setFh(long newNumber) {
            number = newNumber;
        }

        @Override
        public int getFlags() {
            return flags;
        }

        @Override
        public Set<StandardOpenOption> getOpenFlags() {
            return Set.of();
        }

        @Override
        public long getLockOwner() {
            return 0;
        }
    }

    /** An error out of a callback would end the process, and leave the mount point behind. */
    @Test
    void anOperationThatFindsNoMemoryFails() throws IOException {
        Files.createFile(folder.resolve("f"));
        Error full = new OutOfMemoryError("as if");
        Stat stat = failing(Stat.class, full);
        FileInfo info = failing(FileInfo.class, full);
        ByteBuffer none = ByteBuffer.allocate(0);
        withTwoMounts(
                (files, other) -> {
                    assertThat(files.getattr("/f", stat, null)).isEqualTo(-ENOMEM);
                    assertThat(files.getattr("/f", stat, info)).isEqualTo(-ENOMEM);
                    assertThat(files.write("/f", none, 0, 0, info)).isEqualTo(-ENOMEM);
                    assertThat(files.release("/f", info)).isEqualTo(-ENOMEM);
                });
    }

    @Test
    void anErrorThatFindsNoMemoryForTheLogEndsNoMount() throws IOException {
        Files.createFile(folder.resolve("f"));
        Error error =
                new AssertionError("as if") {
                    @Override
                    public String getMessage() {
                        throw new NoClassDefFoundError("as if the heap had been full");
                    }
                };
        Stat broken = failing(Stat.class, error);
        withTwoMounts(
                (files, other) -> assertThat(files.getattr("/f", broken, null)).isEqualTo(-EIO));
    }

    /** Two names that are not UTF-8 are one text here. */
    @Test
    void aNameThatIsNotUtf8IsNotAnotherFile() throws IOException {
        String name = "/\ufffd";
        Path file = Files.writeString(folder.resolve("\ufffd"), "kept");
        Path other = Files.createFile(folder.resolve("other"));
        withTwoMounts(
                (files, none) -> {
                    assertThat(files.create(name, 0600, new Open(0))).isEqualTo(-EINVAL);
                    assertThat(files.open(name, new Open(0))).isEqualTo(-EINVAL);
                    assertThat(files.truncate(name, 0, null)).isEqualTo(-EINVAL);
                    assertThat(files.rename("/other", name, 0)).isEqualTo(-EINVAL);
                    assertThat(files.symlink(name, "/link")).isEqualTo(-EINVAL);
                    assertThat(files.unlink(name)).isEqualTo(-EINVAL);
                });
        assertThat(file).hasContent("kept");
        assertThat(other).exists();
        assertThat(folder.resolve("link")).doesNotExist();
    }

    private static <T> T failing(Class<T> type, Error error) {
        return answering(
                method -> {
                    throw error;
                },
                type);
    }

    /** Has the blocks of a file where jfuse has them. */
    private interface Blocks {
        MemorySegment segment();
    }

    private static Stat statIn(MemorySegment segment) {
        return answering(
                method ->
                        method.getReturnType() == MemorySegment.class
                                ? segment
                                : method.getReturnType() == TimeSpec.class
                                        ? forgetful(TimeSpec.class)
                                        : null,
                Stat.class,
                Blocks.class);
    }

    /** A disk has no such file, but the file system of shared memory does. */
    @Test
    void theLongestFileHasTheBlocksOfItsLength() throws IOException {
        // .ci/run finds the process in the name, and leaves out what belongs to a living one.
        String prefix = "zbmi-" + ProcessHandle.current().pid() + "-mount-test-";
        Path shared = Files.createTempDirectory(Path.of("/dev/shm"), prefix);
        Path file = shared.resolve("f");
        try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
            content.setLength(Long.MAX_VALUE);
            MemorySegment stat = Arena.ofAuto().allocate(144, 8);
            withTwoMounts(
                    shared,
                    (files, other) -> assertThat(files.getattr("/f", statIn(stat), null)).isZero());
            assertThat(stat.get(ValueLayout.JAVA_LONG, 64)).isEqualTo(1L << 54);
        } finally {
            Files.delete(file);
            Files.delete(shared);
        }
    }

    @Test
    void anotherStatThanThatOfJfuseHasNoBlocks() throws IOException {
        Files.createFile(folder.resolve("f"));
        Stat stat = statIn(MemorySegment.ofArray(new byte[8]));
        withTwoMounts((files, other) -> assertThat(files.getattr("/f", stat, null)).isZero());
    }

    /** A time as jfuse gives it. The kernel passes each second on that a program has named. */
    private record Second(long second) implements TimeSpec {
        @Override
        public void set(Instant newTime) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Instant get() {
            return Instant.ofEpochSecond(second);
        }

        @Override
        public boolean isUtimeOmit() {
            return false;
        }

        @Override
        public boolean isUtimeNow() {
            return false;
        }
    }

    /** Any user may give such a time, so it must not end the mount of all. */
    @Test
    void aTimeBeyondThoseOfJavaIsRefused() throws IOException {
        Path file = Files.createFile(folder.resolve("f"));
        Files.setLastModifiedTime(file, FileTime.fromMillis(7_000));
        TimeSpec good = new Second(9);
        withTwoMounts(
                (files, other) -> {
                    for (long second : new long[] {1L << 60, Long.MIN_VALUE}) {
                        TimeSpec bad = new Second(second);
                        assertThat(files.utimens("/f", bad, good, null)).isEqualTo(-Status.INVAL);
                        assertThat(files.utimens("/f", good, bad, null)).isEqualTo(-Status.INVAL);
                    }
                    assertThat(Files.getLastModifiedTime(file).toMillis()).isEqualTo(7_000);
                    assertThat(files.utimens("/f", good, good, null)).isZero();
                    assertThat(Files.getLastModifiedTime(file).toMillis()).isEqualTo(9_000);
                });
    }

    private static int write(MountedFiles files, Open file, String text, long offset) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return files.write("/log", ByteBuffer.wrap(bytes), bytes.length, offset, file);
    }

    /** The kernel of a mount does not know how long another mount has made the file. */
    @Test
    void appendsOfTwoMountsDoNotOverlap() throws IOException {
        Files.createFile(folder.resolve("log"));
        withTwoMounts(
                (one, other) -> {
                    Open here = new Open(O_WRONLY | O_APPEND);
                    Open there = new Open(O_WRONLY | O_APPEND);
                    assertThat(one.open("/log", here)).isZero();
                    assertThat(other.open("/log", there)).isZero();
                    assertThat(write(one, here, "first ", 0)).isEqualTo(6);
                    assertThat(write(other, there, "second ", 0)).isEqualTo(7);
                    assertThat(write(one, here, "third", 6)).isEqualTo(5);
                    Open plain = new Open(O_WRONLY);
                    assertThat(other.open("/log", plain)).isZero();
                    assertThat(write(other, plain, "F", 0)).isEqualTo(1);
                });
        assertThat(folder.resolve("log")).hasContent("First second third");
    }

    @Test
    void onlyADirectoryIsRemovedAsADirectory() throws IOException {
        Path file = Files.createFile(folder.resolve("f"));
        Path directory = Files.createDirectory(folder.resolve("d"));
        Path link = Files.createSymbolicLink(folder.resolve("l"), Path.of("d"));
        withTwoMounts(
                (files, other) -> {
                    assertThat(files.rmdir("/f")).isEqualTo(-Status.NOTDIR);
                    assertThat(files.rmdir("/l")).isEqualTo(-Status.NOTDIR);
                    assertThat(file).exists();
                    assertThat(link).exists();
                    assertThat(files.rmdir("/d")).isZero();
                    assertThat(directory).doesNotExist();
                    assertThat(files.unlink("/f")).isZero();
                    assertThat(file).doesNotExist();
                });
    }

    private static void makeMany(Path directory, int count) throws IOException {
        Files.createDirectory(directory);
        for (int i = 0; i < count; i++) {
            Files.createFile(directory.resolve("n" + i));
        }
    }

    private static void replace(Path directory, int count, Path by) {
        try {
            for (int i = 0; i < count; i++) {
                Files.delete(directory.resolve("n" + i));
            }
            Files.move(by, directory, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lists a directory that is replaced when its first name is told; returns the result. */
    private int listReplaced(int count, List<String> told) throws IOException {
        Path directory = folder.resolve("d");
        Path next = folder.resolve("next");
        makeMany(directory, count);
        makeMany(next, 600);
        int[] result = new int[1];
        DirFiller replacing =
                (name, stat, offset, flags) -> {
                    if (told.isEmpty()) {
                        replace(directory, count, next);
                    }
                    told.add(name);
                    return 0;
                };
        withTwoMounts(
                (files, other) -> result[0] = files.readdir("/d", replacing, 0, new Open(0), 0));
        return result[0];
    }

    /** There are more names than one reply brings. */
    @Test
    void noNameIsToldTwiceIfADirectoryIsReplacedWhileItIsListed() throws IOException {
        List<String> told = new ArrayList<>();
        assertThat(listReplaced(600, told)).isZero();
        assertThat(told).hasSize(602).doesNotHaveDuplicates();
    }

    /** There are more names than a mount keeps. */
    @Test
    void aLongListEndsWithAnErrorIfItsDirectoryIsReplaced() throws IOException {
        List<String> told = new ArrayList<>();
        assertThat(listReplaced(ListedNames.MAX_NAMES + 600, told)).isEqualTo(-Status.NOENT);
        assertThat(told).hasSize(ListedNames.MAX_NAMES).doesNotHaveDuplicates();
    }

    @Test
    void aFileThatGoesBetweenLookUpAndUseIsNotThere() throws IOException {
        AtomicBoolean ended = new AtomicBoolean();
        withTwoMounts(
                (files, other) -> {
                    CompletableFuture<Void> changing =
                            CompletableFuture.runAsync(() -> comeAndGo(folder.resolve("f"), ended));
                    try {
                        Stat stat = forgetful(Stat.class);
                        assertThereOrNot("getattr", () -> files.getattr("/f", stat, null));
                        assertThereOrNot("chmod", () -> files.chmod("/f", 0600, null));
                        assertThereOrNot("truncate", () -> files.truncate("/f", 3, null));
                        assertThereOrNot("fsync", () -> files.fsync("/f", 0, null));
                    } finally {
                        ended.set(true);
                    }
                    changing.join();
                });
    }
}

package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Files that go, or are replaced, between two calls of one operation of {@code java.nio.file}. */
@Timeout(60)
class VanishingFilesTest extends ServerFeature {
    /** What happens once, when the server has looked a name up. */
    private final AtomicReference<Runnable> afterLookup = new AtomicReference<>(() -> {});

    /** What happens once, when the server opens a file that exists. */
    private final AtomicReference<Consumer<String>> beforeOpen = new AtomicReference<>(name -> {});

    private TestServer server;
    private FileSystem files;
    private Path local;
    private Path file;

    @BeforeEach
    void start() throws IOException {
        TestDisk disk =
                TestDisk.of()
                        .afterClose(() -> afterLookup.getAndSet(() -> {}).run())
                        .whenOpened(name -> beforeOpen.getAndSet(opened -> {}).accept(name));
        server = TestServer.on(disk.calls(), folder, limits(4 << 20, 3));
        URI uri = URI.create("zoidfs://127.0.0.1:" + server.port() + "/");
        files = FileSystems.newFileSystem(uri, Map.of("timeoutMs", 20_000));
        local = folder.resolve("f");
        file = files.getPath("/f");
        Files.writeString(local, "old");
    }

    @AfterEach
    void stop() throws IOException {
        files.close();
        server.close();
    }

    /** Something that may fail. */
    private interface Change {
        void run() throws IOException;
    }

    private void whenLookedUp(Change change) {
        afterLookup.set(() -> doing(change));
    }

    private static void doing(Change change) {
        try {
            change.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void replace() throws IOException {
        Path other = folder.resolve("other");
        Files.writeString(other, "longer");
        Files.move(other, local, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private void assertGone(Change operation) throws IOException {
        Files.writeString(local, "old");
        whenLookedUp(() -> Files.delete(local));
        assertThatThrownBy(operation::run)
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageStartingWith("/f");
    }

    @Test
    void aFileThatGoesIsNotThere() throws IOException {
        assertGone(() -> Files.size(file));
        assertGone(() -> Files.readString(file));
        assertGone(() -> Files.setLastModifiedTime(file, FileTime.fromMillis(0)));
        assertGone(() -> Files.readAttributes(file, "posix:*"));
        assertGone(() -> file.toRealPath());
        assertGone(() -> Files.newDirectoryStream(file));
        assertGone(() -> Files.copy(file, files.getPath("/copy")));
        assertThat(folder.resolve("copy")).doesNotExist();
        Files.writeString(local, "old");
        whenLookedUp(() -> Files.delete(local));
        assertThat(Files.exists(file)).isFalse();
        Path link = folder.resolve("l");
        Files.createSymbolicLink(link, Path.of("f"));
        whenLookedUp(() -> Files.delete(link));
        assertThatThrownBy(() -> Files.readSymbolicLink(files.getPath("/l")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void aFileThatIsReplacedIsTheNewOne() throws IOException {
        whenLookedUp(this::replace);
        assertThat(Files.size(file)).isEqualTo(6);
        Files.writeString(local, "old");
        whenLookedUp(this::replace);
        assertThat(Files.readString(file)).isEqualTo("longer");
        Files.writeString(local, "old");
        whenLookedUp(this::replace);
        Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        assertThat(Files.getLastModifiedTime(local)).isEqualTo(FileTime.fromMillis(0));
        whenLookedUp(this::replace);
        Files.writeString(file, "new");
        assertThat(local).hasContent("new");
    }

    @Test
    void aFileThatGoesIsMadeAnewForWhoAsksForThat() throws IOException {
        beforeOpen.set(
                name -> {
                    assertThat(name).isEqualTo("f");
                    doing(() -> Files.delete(local));
                });
        Files.writeString(file, "new");
        assertThat(local).hasContent("new");
        whenLookedUp(() -> Files.delete(local));
        Files.newByteChannel(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS)
                .close();
        assertThat(local).isEmptyFile();
    }

    @Test
    void anOpenFileThatWasRemovedIsNotThere() throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            Files.delete(local);
            ByteBuffer room = ByteBuffer.allocate(3);
            assertThatThrownBy(() -> channel.read(room, 0))
                    .isInstanceOf(NoSuchFileException.class)
                    .hasMessageContaining("stale");
            assertThatThrownBy(() -> channel.write(room, 0))
                    .isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(channel::size).isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> channel.truncate(0)).isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> channel.force(true)).isInstanceOf(NoSuchFileException.class);
        }
    }

    @Test
    void whatIsRemovedAtTheEndMayBeGoneBefore() throws IOException {
        FileChannel channel =
                FileChannel.open(
                        file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        Files.delete(local);
        channel.close();
        assertThat(local).doesNotExist();
    }
}

package org.jbmi.zoidfs.server.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.server.ZoidfsServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.URI;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.Random;

/** Copies and moves, on one server and between file systems. */
@Timeout(60)
class CopiesTest extends ServedFiles {
    @Test
    void filesAreCopiedAndMovedHere() throws IOException {
        Files.writeString(path("/f"), "content");
        Files.setPosixFilePermissions(path("/f"), PosixFilePermissions.fromString("rw-r-----"));
        FileTime time = FileTime.from(Instant.parse("2001-02-03T04:05:06Z"));
        Files.setLastModifiedTime(path("/f"), time);
        Files.copy(path("/f"), path("/g"), StandardCopyOption.COPY_ATTRIBUTES);
        assertThat(Files.getLastModifiedTime(path("/g"))).isEqualTo(time);
        assertThat(Files.getPosixFilePermissions(path("/g"))).hasSize(3);
        assertThatThrownBy(() -> Files.copy(path("/f"), path("/g")))
                .isInstanceOf(FileAlreadyExistsException.class);
        Files.writeString(path("/g"), "other");
        Files.copy(path("/f"), path("/g"), StandardCopyOption.REPLACE_EXISTING);
        assertThat(local("g")).hasContent("content");
        Files.copy(path("/f"), path("/f"));
        Files.createSymbolicLink(path("/l"), path("f"));
        Files.copy(path("/l"), path("/m"), LinkOption.NOFOLLOW_LINKS);
        assertThat((Object) Files.readSymbolicLink(path("/m"))).isEqualTo(path("f"));
        assertThatThrownBy(() -> Files.move(path("/f"), path("/g")))
                .isInstanceOf(FileAlreadyExistsException.class);
        Files.move(path("/f"), path("/g"), StandardCopyOption.ATOMIC_MOVE);
        assertThat(local("f")).doesNotExist();
        Files.createDirectories(path("/d/full"));
        assertThatThrownBy(
                        () ->
                                Files.move(
                                        path("/g"),
                                        path("/d"),
                                        StandardCopyOption.REPLACE_EXISTING))
                .isInstanceOf(DirectoryNotEmptyException.class);
        Files.delete(path("/d/full"));
        Files.move(path("/g"), path("/d"), StandardCopyOption.REPLACE_EXISTING);
        assertThat(Files.readString(path("/d"))).isEqualTo("content");
        Files.createDirectories(path("/tree/sub"));
        Files.move(path("/tree"), path("/moved"));
        assertThat(local("moved/sub")).isDirectory();
        assertThatThrownBy(() -> Files.move(path("/none"), path("/x")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void filesAreCopiedAndMovedBetweenFileSystems() throws IOException {
        byte[] bytes = new byte[5_000_000];
        new Random(2).nextBytes(bytes);
        Path here = folder.resolve("here");
        Files.write(here, bytes);
        Files.copy(here, path("/there"));
        assertThat(Files.readAllBytes(local("there"))).isEqualTo(bytes);
        Files.move(path("/there"), folder.resolve("back"));
        assertThat(Files.mismatch(here, folder.resolve("back"))).isEqualTo(-1);
        assertThat(local("there")).doesNotExist();
        Files.move(folder.resolve("back"), path("/there"));
        Path second = Files.createDirectory(folder.resolve("second"));
        try (Bmi otherBmi = serving();
                ZoidfsServer other = serve(otherBmi, second);
                FileSystem others = FileSystems.newFileSystem(uriOf(otherBmi), Map.of())) {
            assertThat(other.calls()).isZero();
            Files.copy(path("/there"), others.getPath("/copied"));
            assertThat(Files.readAllBytes(second.resolve("copied"))).isEqualTo(bytes);
            assertThatThrownBy(
                            () ->
                                    Files.move(
                                            path("/there"),
                                            others.getPath("/x"),
                                            StandardCopyOption.ATOMIC_MOVE))
                    .isInstanceOf(AtomicMoveNotSupportedException.class);
            Files.move(path("/there"), others.getPath("/moved"));
            assertThat(Files.readAllBytes(second.resolve("moved"))).isEqualTo(bytes);
            assertThat(local("there")).doesNotExist();
            Files.createDirectories(path("/d/full"));
            assertThatThrownBy(() -> Files.move(path("/d"), others.getPath("/d")))
                    .isInstanceOf(DirectoryNotEmptyException.class);
            Files.move(path("/d/full"), others.getPath("/d"));
            assertThat(second.resolve("d")).isEmptyDirectory();
        }
    }

    /** Nothing is removed to make room for itself. */
    @Test
    void aFileOfTwoFileSystemsOfOneServerStaysWhatItIs() throws IOException {
        Files.writeString(path("/f"), "content");
        Files.createDirectory(path("/d"));
        URI second = URI.create("zoidfs://localhost:" + uri.getPort() + "/");
        try (FileSystem others = FileSystems.newFileSystem(second, Map.of())) {
            Path there = others.getPath("/f");
            Files.copy(path("/f"), there, StandardCopyOption.REPLACE_EXISTING);
            assertThat(local("f")).hasContent("content");
            Files.move(path("/f"), there, StandardCopyOption.REPLACE_EXISTING);
            assertThat(local("f")).hasContent("content");
            Files.move(path("/d"), others.getPath("/d"), StandardCopyOption.REPLACE_EXISTING);
            assertThat(local("d")).isDirectory();
            Files.copy(path("/f"), others.getPath("/g"));
            assertThat(local("g")).hasContent("content");
            Files.move(path("/g"), there, StandardCopyOption.REPLACE_EXISTING);
            assertThat(local("f")).hasContent("content");
            assertThat(local("g")).doesNotExist();
        }
    }
}

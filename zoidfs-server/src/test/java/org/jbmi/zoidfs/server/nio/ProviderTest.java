package org.jbmi.zoidfs.server.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Files of a server through {@code java.nio.file}. */
@Timeout(60)
class ProviderTest extends ServedFiles {
    @Test
    void thereIsOneFileSystemOfAServerAtATime() throws IOException {
        assertThat(FileSystems.getFileSystem(uri)).isSameAs(files);
        assertThatThrownBy(() -> FileSystems.newFileSystem(uri, Map.of()))
                .isInstanceOf(FileSystemAlreadyExistsException.class);
        Path there = path("/a b/ü?#%.txt");
        assertThat(Path.of(there.toUri())).isEqualTo(there);
        assertThat(there.toUri().getScheme()).isEqualTo("zoidfs");
        files.close();
        assertThat(files.isOpen()).isFalse();
        assertThatThrownBy(() -> Path.of(uri)).isInstanceOf(FileSystemNotFoundException.class);
        assertThatThrownBy(() -> Files.size(there)).isInstanceOf(IOException.class);
        for (String wrong : List.of("zoidfs:/path", "zoidfs:tcp", "zoidfs://h:1/?q")) {
            assertThatThrownBy(() -> FileSystems.newFileSystem(URI.create(wrong), Map.of()))
                    .as(wrong)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> FileSystems.newFileSystem(uri, Map.of("dialect", "swabian")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("swabian");
        assertThatThrownBy(() -> FileSystems.newFileSystem(uri, Map.of("speed", 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("speed");
        assertThatThrownBy(
                        () ->
                                FileSystems.newFileSystem(
                                        URI.create("zoidfs:nothing://x/y"), Map.of()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void anAddressOfAnyMethodIsPartOfAUri() throws IOException {
        URI opaque = URI.create("zoidfs:tcp://localhost:1/some/path");
        try (FileSystem other = FileSystems.newFileSystem(opaque, Map.of())) {
            assertThat(Path.of(opaque)).isEqualTo(other.getPath("/some/path"));
            URI short_ = URI.create("zoidfs://localhost:1/some/path");
            assertThat(Path.of(short_)).isEqualTo(other.getPath("/some/path"));
        }
    }

    @Test
    void pathsObeyTheRulesOfPaths() {
        assertThat(path("/a//b/").toString()).isEqualTo("/a/b");
        assertThat(path("").toString()).isEmpty();
        assertThat(path("").getNameCount()).isEqualTo(1);
        assertThat(path("/").getNameCount()).isZero();
        assertThat((Object) path("/").getFileName()).isNull();
        assertThat((Object) path("/a").getParent()).isEqualTo(path("/"));
        assertThat((Object) path("a").getParent()).isNull();
        assertThat((Object) path("/a/b/c").subpath(1, 3)).isEqualTo(path("b/c"));
        assertThat((Object) path("/a/./b/../../../c").normalize()).isEqualTo(path("/c"));
        assertThat((Object) path("a/../../c").normalize()).isEqualTo(path("../c"));
        assertThat((Object) path("/a").resolve("/b")).isEqualTo(path("/b"));
        assertThat((Object) path("/a").resolve("")).isEqualTo(path("/a"));
        assertThat((Object) path("/a").resolveSibling("b")).isEqualTo(path("/b"));
        assertThat((Object) path("/a/b").relativize(path("/a/c/d"))).isEqualTo(path("../c/d"));
        assertThat((Object) path("/a").relativize(path("/a"))).isEqualTo(path(""));
        assertThat(path("/a/b").startsWith("/a")).isTrue();
        assertThat(path("/ab").startsWith("/a")).isFalse();
        assertThat(path("/a/b").endsWith("b")).isTrue();
        assertThat(path("/a/b").endsWith("/b")).isFalse();
        assertThat(path("a").isAbsolute()).isFalse();
        assertThat((Object) path("a").toAbsolutePath()).isEqualTo(path("/a"));
        assertThat((Object) files.getPath("/a", "b", "", "c")).isEqualTo(path("/a/b/c"));
        assertThat(path("/a")).isLessThan(path("/b"));
    }

    /** A program that cuts names to a length cuts pairs too. */
    @Test
    void aNameThatUtf8CannotHaveIsRefused() throws IOException {
        Path other = Files.createFile(path("/?"));
        for (String name : List.of("\ud83d", "\ude00", "a\ude00\ud83d", "a\0")) {
            assertThatThrownBy(() -> path("/" + name)).isInstanceOf(InvalidPathException.class);
            assertThatThrownBy(() -> path("/").resolve(name))
                    .isInstanceOf(InvalidPathException.class);
        }
        assertThat(other).exists();
        assertThat(Files.createFile(path("/\ud83d\ude00"))).exists();
    }

    @Test
    void patternsMatchAsTheDefaultFileSystemHasThem() {
        List<String> names =
                List.of(
                        "a",
                        "a.java",
                        "b.class",
                        "x/y.java",
                        "{}",
                        "a-b",
                        "abc",
                        "[",
                        "!",
                        ".x",
                        "a*");
        List<String> globs =
                List.of(
                        "*",
                        "**",
                        "*.java",
                        "**.java",
                        "*.{java,class}",
                        "?",
                        "[ab]",
                        "[!a]",
                        "[a-c]*",
                        "\\{\\}",
                        "*[-]*",
                        "a?c",
                        "[[]",
                        ".*",
                        "a\\*",
                        "x/*",
                        "[!/]");
        FileSystem local = FileSystems.getDefault();
        for (String glob : globs) {
            for (String name : names) {
                boolean expected;
                try {
                    expected = local.getPathMatcher("glob:" + glob).matches(local.getPath(name));
                } catch (IllegalArgumentException e) {
                    assertThatThrownBy(() -> files.getPathMatcher("glob:" + glob))
                            .as(glob)
                            .isInstanceOf(IllegalArgumentException.class);
                    continue;
                }
                assertThat(files.getPathMatcher("glob:" + glob).matches(path(name)))
                        .as(glob + " and " + name)
                        .isEqualTo(expected);
            }
        }
        assertThat(files.getPathMatcher("regex:a.c").matches(path("abc"))).isTrue();
        // The default file system has no such name where the locale has ASCII only.
        assertThat(files.getPathMatcher("glob:?.x").matches(path("\u00e9.x"))).isTrue();
        for (String wrong : List.of("glob:{a", "glob:[a", "glob:a\\", "nothing")) {
            assertThatThrownBy(() -> files.getPathMatcher(wrong))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void filesAreMadeReadAndRemoved() throws IOException {
        byte[] bytes = new byte[1_234_567];
        new Random(1).nextBytes(bytes);
        Files.write(path("/big"), bytes);
        assertThat(Files.readAllBytes(local("big"))).isEqualTo(bytes);
        assertThat(Files.readAllBytes(path("/big"))).isEqualTo(bytes);
        Files.writeString(path("text ü"), "line one\nline two\n");
        assertThat(Files.readAllLines(path("/text ü"))).containsExactly("line one", "line two");
        assertThat(local("text ü")).exists();
        Files.writeString(path("/text ü"), "more\n", StandardOpenOption.APPEND);
        assertThat(Files.readString(path("/text ü"))).endsWith("line two\nmore\n");
        Files.writeString(path("/text ü"), "short");
        assertThat(Files.readString(path("/text ü"))).isEqualTo("short");
        Files.createFile(path("/new"));
        assertThatThrownBy(() -> Files.createFile(path("/")))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> Files.createFile(path("/new")))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(Files.exists(path("/new"))).isTrue();
        assertThat(Files.notExists(path("/none"))).isTrue();
        assertThat(Files.deleteIfExists(path("/new"))).isTrue();
        assertThat(Files.deleteIfExists(path("/new"))).isFalse();
        assertThatThrownBy(() -> Files.delete(path("/new")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage("/new");
        assertThatThrownBy(() -> Files.readString(path("/new")))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.writeString(path("/none/file"), ""))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.writeString(path("/big/file"), ""))
                .isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> Files.readString(path("/")))
                .isInstanceOf(FileSystemException.class);
        try (FileChannel gone =
                FileChannel.open(
                        path("/gone"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE)) {
            gone.write(ByteBuffer.wrap(new byte[3]));
            assertThat(Files.size(path("/gone"))).isEqualTo(3);
        }
        assertThat(local("gone")).doesNotExist();
    }

    @Test
    void directoriesAreListedWalkedAndRemoved() throws IOException {
        Files.createDirectories(path("/d/e/f"));
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 300; i++) {
            Files.createFile(path("/d/file" + i));
            names.add("file" + i);
        }
        names.add("e");
        Set<String> seen = new HashSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path("/d"))) {
            for (Path entry : entries) {
                assertThat(seen.add(entry.getFileName().toString())).isTrue();
                assertThat((Object) entry.getParent()).isEqualTo(path("/d"));
            }
            assertThatThrownBy(entries::iterator).isInstanceOf(IllegalStateException.class);
        }
        assertThat(seen).isEqualTo(names);
        try (DirectoryStream<Path> some = Files.newDirectoryStream(path("/d"), "*{1,2}")) {
            assertThat(some).allMatch(entry -> entry.toString().matches("/d/file.*[12]"));
        }
        try (var tree = Files.walk(path("/d"))) {
            assertThat(tree.count()).isEqualTo(303);
        }
        assertThatThrownBy(() -> Files.newDirectoryStream(path("/d/file1")))
                .isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> Files.delete(path("/d")))
                .isInstanceOf(DirectoryNotEmptyException.class);
        Files.walkFileTree(
                path("/d"),
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path dir, IOException failure)
                            throws IOException {
                        Files.delete(dir);
                        return FileVisitResult.CONTINUE;
                    }
                });
        assertThat(local("d")).doesNotExist();
    }

    @Test
    void attributesAreToldAndSet() throws IOException {
        Files.createFile(
                path("/f"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
        Path file = path("/f");
        assertThat(Files.getPosixFilePermissions(file))
                .hasToString(Files.getPosixFilePermissions(local("f")).toString());
        FileTime time = FileTime.from(Instant.parse("2001-02-03T04:05:06.789Z"));
        Files.setLastModifiedTime(file, time);
        assertThat(Files.getLastModifiedTime(local("f"))).isEqualTo(time);
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
        Files.setAttribute(file, "unix:mode", 0600);
        assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0100600);
        assertThat(Files.getAttribute(file, "unix:ino"))
                .isEqualTo(Files.getAttribute(local("f"), "unix:ino"));
        assertThat(Files.getOwner(file).getName())
                .isEqualTo(Files.getAttribute(local("f"), "unix:uid").toString());
        Map<String, Object> basic = Files.readAttributes(file, "size,isDirectory");
        assertThat(basic).isEqualTo(Map.of("size", 0L, "isDirectory", false));
        assertThat(Files.readAttributes(file, "posix:*")).containsKeys("permissions", "fileKey");
        assertThatThrownBy(() -> Files.readAttributes(file, "basic:nothing"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Files.readAttributes(file, "dos:*"))
                .isInstanceOf(UnsupportedOperationException.class);
        PosixFileAttributeView view =
                Files.getFileAttributeView(file, PosixFileAttributeView.class);
        view.setOwner(
                files.getUserPrincipalLookupService()
                        .lookupPrincipalByName(Files.getOwner(file).getName()));
        assertThat(Files.isReadable(file)).isTrue();
        assertThat(Files.isExecutable(file)).isFalse();
        assertThat(Files.isHidden(path("/.x"))).isTrue();
        assertThat(Files.getFileStore(file).type()).isEqualTo("zoidfs");
        Files.createLink(path("/g"), file);
        assertThat(Files.isSameFile(file, path("/g"))).isTrue();
        assertThat(Files.isSameFile(file, path("/"))).isFalse();
    }

    @Test
    void linksAreMadeReadAndFollowed() throws IOException {
        Files.createDirectories(path("/d/sub"));
        Files.writeString(path("/d/f"), "behind");
        Files.createSymbolicLink(path("/l"), path("d/f"));
        Files.createSymbolicLink(path("/d/sub/up"), path("../f"));
        Files.createSymbolicLink(path("/absolute"), path("/d/sub/up"));
        Files.createSymbolicLink(path("/folder"), path("d"));
        for (String link : List.of("/l", "/d/sub/up", "/absolute", "/folder/f")) {
            assertThat(Files.readString(path(link))).as(link).isEqualTo("behind");
            assertThat((Object) path(link).toRealPath()).as(link).isEqualTo(path("/d/f"));
        }
        assertThat((Object) Files.readSymbolicLink(path("/l"))).isEqualTo(path("d/f"));
        assertThatThrownBy(() -> Files.readSymbolicLink(path("/d/f")))
                .isInstanceOf(NotLinkException.class);
        assertThat(Files.isSymbolicLink(path("/l"))).isTrue();
        assertThat(Files.isRegularFile(path("/l"))).isTrue();
        assertThat(Files.isRegularFile(path("/l"), LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(Files.list(path("/folder"))).hasSize(2);
        Files.writeString(path("/absolute"), "changed");
        assertThat(local("d/f")).hasContent("changed");
        Files.createSymbolicLink(path("/dangling"), path("d/made"));
        assertThatThrownBy(() -> Files.readString(path("/dangling")))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.createFile(path("/dangling")))
                .isInstanceOf(FileAlreadyExistsException.class);
        Files.createSymbolicLink(path("/loop"), path("loop"));
        assertThatThrownBy(() -> Files.readString(path("/loop")))
                .isInstanceOf(FileSystemLoopException.class);
        assertThatThrownBy(() -> path("/loop").toRealPath())
                .isInstanceOf(FileSystemLoopException.class);
        Files.delete(path("/l"));
        assertThat(local("d/f")).exists();
    }

    @Test
    void aServerThatIsGoneIsASentence() throws IOException {
        Files.writeString(path("/f"), "x");
        server.close();
        bmi.close();
        assertThatThrownBy(() -> Files.readString(path("/f")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("did not answer");
    }
}

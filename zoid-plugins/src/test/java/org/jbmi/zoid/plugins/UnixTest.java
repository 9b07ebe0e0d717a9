package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.plugins.mapping.Mapping.MappingPlace;
import org.jbmi.zoid.plugins.mapping.MappingClient;
import org.jbmi.zoid.plugins.unix.Unix.UnixStatus;
import org.jbmi.zoid.plugins.unix.UnixClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** The plug-ins "unix" and "mapping". */
class UnixTest {
    private static final int CREATE = 0100;
    private static final int EXCLUSIVE = 0200;
    private static final int APPEND = 02000;
    private static final int WRITE = 1;
    private static final int READ_WRITE = 2;

    @TempDir Path folder;

    private Server server() throws Exception {
        return server(Files.createDirectories(folder.resolve("root")));
    }

    private static Server server(Path root) throws Exception {
        ZoidSettings settings =
                Server.settings()
                        .withPluginSetting("unix.root", root.toString())
                        .withPluginSetting("mapping.sizes", "3x2x2x2");
        return Server.of("loopback", settings);
    }

    private static MemorySegment bytes(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(MemorySegment memory, long length) {
        return new String(
                memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    @Test
    void anOpenFileWhosePlaceIsALinkNowTellsNothingOfWhatIsOutside() throws Exception {
        Path outside = Files.writeString(folder.resolve("outside"), "secret");
        try (Server server = server()) {
            UnixClient unix = new UnixClient(server.client());
            int fd = unix.open("/a", WRITE | CREATE, 0600);
            Files.delete(folder.resolve("root/a"));
            Files.createSymbolicLink(folder.resolve("root/a"), outside);
            assertThat(unix.fstat(fd, new Cell<>())).isEqualTo(-13);
        }
    }

    @Test
    void aProcessWorksAsIfTheFilesWereItsOwn() throws Exception {
        try (Server server = server()) {
            UnixClient unix = new UnixClient(server.client());
            assertThat(unix.mkdir("/a", 0755)).isZero();
            assertThat(unix.mkdir("/a", 0755)).isEqualTo(-17);
            int fd = unix.open("/a/file", READ_WRITE | CREATE | EXCLUSIVE, 0640);
            assertThat(fd).isGreaterThan(2);
            assertThat(unix.open("/a/file", READ_WRITE | CREATE | EXCLUSIVE, 0640)).isEqualTo(-17);
            assertThat(unix.write(fd, bytes("hello world"), 11)).isEqualTo(11);
            assertThat(unix.lseek(fd, -5, 2)).isEqualTo(6);
            MemorySegment buffer = MemorySegment.ofArray(new byte[100]);
            LongCell count = new LongCell(100);
            assertThat(unix.read(fd, buffer, count)).isEqualTo(5);
            assertThat(count.get()).isEqualTo(5);
            assertThat(text(buffer, 5)).isEqualTo("world");
            assertThat(unix.pwrite(fd, bytes("HELLO"), 5, 0)).isEqualTo(5);
            count.set(100);
            assertThat(unix.pread(fd, buffer, count, 0)).isEqualTo(11);
            assertThat(text(buffer, 11)).isEqualTo("HELLO world");
            assertThat(unix.ftruncate(fd, 5)).isZero();
            assertThat(unix.fsync(fd)).isZero();
            Cell<UnixStatus> status = new Cell<>();
            assertThat(unix.fstat(fd, status)).isZero();
            assertThat(status.get().size()).isEqualTo(5);
            assertThat(unix.close(fd)).isZero();
            assertThat(unix.close(fd)).isEqualTo(-9);
            int end = unix.open("/a/file", WRITE | APPEND, 0);
            unix.write(end, bytes("!"), 1);
            assertThat(folder.resolve("root/a/file")).hasContent("HELLO!");
            assertThat(unix.stat("/a/none", status)).isEqualTo(-2);
            assertThat(unix.open("/a", WRITE, 0)).isEqualTo(-21);
        }
    }

    @Test
    void aFileThatSaysNoSizeIsReadAtAPlace() throws Exception {
        try (Server server = server(Path.of("/proc"))) {
            UnixClient unix = new UnixClient(server.client());
            int fd = unix.open("/version", 0, 0);
            MemorySegment buffer = MemorySegment.ofArray(new byte[100]);
            LongCell count = new LongCell(100);
            long read = unix.pread(fd, buffer, count, 0);
            assertThat(text(buffer, Math.max(0, read))).startsWith("Linux");
        }
    }

    @Test
    void namesAreChangedAndListed() throws Exception {
        try (Server server = server()) {
            UnixClient unix = new UnixClient(server.client());
            for (String name : new String[] {"/c", "/a", "/b"}) {
                unix.close(unix.open(name, WRITE | CREATE, 0600));
            }
            assertThat(unix.rename("/c", "/d")).isZero();
            assertThat(unix.symlink("a", "/link")).isZero();
            MemorySegment buffer = MemorySegment.ofArray(new byte[9]);
            LongCell length = new LongCell(9);
            assertThat(unix.readlink("/link", buffer, length)).isOne();
            assertThat(text(buffer, length.get())).isEqualTo("a");
            length.set(5);
            assertThat(unix.readdir("/", "", buffer, length)).isEqualTo(2);
            assertThat(text(buffer, length.get())).isEqualTo("a\0b\0");
            length.set(9);
            assertThat(unix.readdir("/", "b", buffer, length)).isEqualTo(2);
            assertThat(text(buffer, length.get())).isEqualTo("d\0link\0");
            length.set(9);
            assertThat(unix.readdir("/", "link", buffer, length)).isZero();
            assertThat(unix.chmod("/a", 0400)).isZero();
            Cell<UnixStatus> status = new Cell<>();
            assertThat(unix.lstat("/a", status)).isZero();
            assertThat(status.get().mode() & 0777).isEqualTo(0400);
            assertThat(unix.unlink("/a")).isZero();
            assertThat(unix.access("/a", 0)).isEqualTo(-2);
            assertThat(unix.mkdir("/folder", 0700)).isZero();
            assertThat(unix.unlink("/folder")).isEqualTo(-21);
            assertThat(unix.rmdir("/b")).isEqualTo(-20);
            assertThat(unix.rmdir("/folder")).isZero();
        }
    }

    @Test
    void nothingOutsideOfTheRootIsReached() throws Exception {
        Files.writeString(folder.resolve("secret"), "secret");
        try (Server server = server()) {
            UnixClient unix = new UnixClient(server.client());
            Files.createSymbolicLink(folder.resolve("root/out"), folder);
            assertThat(unix.open("/../secret", 0, 0)).isEqualTo(-13);
            assertThat(unix.open("/out/secret", 0, 0)).isEqualTo(-13);
            assertThat(unix.open("/out/new", WRITE | CREATE, 0600)).isEqualTo(-13);
            assertThat(unix.unlink("/out/secret")).isEqualTo(-13);
            assertThat(unix.rename("/out/secret", "/mine")).isEqualTo(-13);
            assertThat(folder.resolve("secret")).hasContent("secret");
        }
    }

    @Test
    void descriptorsAreEachProcessesOwn() throws Exception {
        try (Server server = server()) {
            Zoid one = server.client();
            int fd = new UnixClient(one).open("/file", WRITE | CREATE, 0600);
            UnixClient other = new UnixClient(server.client());
            assertThat(other.write(fd, bytes("x"), 1)).isEqualTo(-9);
        }
    }

    @Test
    void ranksHavePlacesAndPlacesHaveRanks() throws Exception {
        try (Server server = server()) {
            MappingClient mapping = new MappingClient(server.client());
            Cell<MappingPlace> place = new Cell<>();
            assertThat(mapping.dimensions(place)).isZero();
            assertThat(place.get()).isEqualTo(new MappingPlace(3, 2, 2, 2));
            Set<MappingPlace> all = new HashSet<>();
            for (int rank = 0; rank < 24; rank++) {
                assertThat(mapping.placeOf(rank, place)).isZero();
                assertThat(mapping.rankOf(place.get())).isEqualTo(rank);
                all.add(place.get());
            }
            assertThat(all).hasSize(24);
            assertThat(mapping.placeOf(24, place)).isEqualTo(-22);
            assertThat(mapping.rankOf(new MappingPlace(3, 0, 0, 0))).isEqualTo(-22);
        }
    }
}

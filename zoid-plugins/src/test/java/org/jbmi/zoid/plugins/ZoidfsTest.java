package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.IntCell;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.plugins.zoidfs.Zoidfs;
import org.jbmi.zoid.plugins.zoidfs.Zoidfs.ZoidfsAttr;
import org.jbmi.zoid.plugins.zoidfs.Zoidfs.ZoidfsDirent;
import org.jbmi.zoid.plugins.zoidfs.Zoidfs.ZoidfsHandle;
import org.jbmi.zoid.plugins.zoidfs.Zoidfs.ZoidfsSattr;
import org.jbmi.zoid.plugins.zoidfs.Zoidfs.ZoidfsTime;
import org.jbmi.zoid.plugins.zoidfs.ZoidfsFiles;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.AttributeMask;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.ZoidfsServer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;

/** One interface, and both ways to the files of a zoidfs server: its own protocol, and calls. */
@Timeout(90)
class ZoidfsTest {
    private static final ZoidfsTime NEVER = new ZoidfsTime(0, 0);
    private static final ZoidfsSattr PLAIN =
            new ZoidfsSattr(AttributeMask.MODE, 0640, 0, 0, NEVER, NEVER);
    private static final ZoidfsSattr FOLDER =
            new ZoidfsSattr(AttributeMask.MODE, 0750, 0, 0, NEVER, NEVER);

    @TempDir Path export;

    private Bmi bmi;
    private ZoidfsServer server;

    @BeforeEach
    void serve() throws Exception {
        bmi =
                Bmi.builder()
                        .automaticReferences(true)
                        .knob("tcp.bindSpecific", "true")
                        .listen("tcp://127.0.0.1:0")
                        .open();
        server =
                ZoidfsServer.serve(
                        bmi,
                        ExportSettings.of(export, ExportKey.random()),
                        Dialect.MAIN,
                        Limits.DEFAULT);
    }

    @AfterEach
    void end() {
        server.close();
        bmi.close();
    }

    private String address() {
        return "tcp://127.0.0.1:" + bmi.getOption(TcpOptions.PORT);
    }

    @Test
    void filesAreThoseOfTheServerByItsOwnProtocol() throws Exception {
        try (Bmi own = Bmi.open();
                ZoidfsClient client = ZoidfsClient.connect(own, address(), ClientOptions.DEFAULT)) {
            use(new ZoidfsFiles(client));
        }
    }

    @ParameterizedTest
    @FieldSource("org.jbmi.zoid.plugins.Server#METHODS")
    void filesAreThoseOfTheServerByForwardedCalls(String method) throws Exception {
        ZoidSettings settings =
                ZoidSettings.defaults()
                        .withModules(List.of("zoidfs"))
                        .withPluginSetting("zoidfs.server", address());
        try (Server forwarder = Server.of(method, settings)) {
            use(new org.jbmi.zoid.plugins.zoidfs.ZoidfsClient(forwarder.client()));
        }
    }

    /** A program on the class path finds plug-ins by another list than one of modules. */
    @Test
    void theServiceLoaderFindsEachPlugin() {
        assertThat(ServiceLoader.load(PluginProvider.class))
                .extracting(PluginProvider::name)
                .contains("unix", "mapping", "barrier", "test", "zoidfs");
    }

    @Test
    void aServerMustBeNamed() {
        ZoidSettings settings = ZoidSettings.defaults().withModules(List.of("zoidfs"));
        assertThatThrownBy(() -> Server.of("loopback", settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--set zoidfs.server=ADDRESS");
    }

    private void use(Zoidfs files) throws Exception {
        assertThat(files.null_()).isZero();
        assertThat(files.mkdir(null, "/folder", FOLDER)).isZero();
        Cell<ZoidfsHandle> found = new Cell<>();
        assertThat(files.lookup(null, "/folder", found)).isZero();
        ZoidfsHandle folder = Objects.requireNonNull(found.get());
        IntCell created = new IntCell(5);
        assertThat(files.create(folder, "größe", PLAIN, found, created)).isZero();
        assertThat(created.get()).isOne();
        ZoidfsHandle file = Objects.requireNonNull(found.get());
        assertThat(files.create(folder, "größe", PLAIN, found, created)).isZero();
        assertThat(created.get()).isZero();
        assertThat(found.get()).isEqualTo(file);

        moveData(files, file);
        assertThat(files.commit(file)).isZero();
        assertThat(Files.readString(export.resolve("folder/größe")))
                .isEqualTo("aaaabbbb" + "\0".repeat(2) + "cc");

        Cell<ZoidfsAttr> attributes = new Cell<>();
        assertThat(files.getattr(file, attributes)).isZero();
        assertThat(attributes.get())
                .returns(12L, ZoidfsAttr::size)
                .returns(0640, ZoidfsAttr::mode)
                .returns(1, ZoidfsAttr::links);
        ZoidfsTime then = new ZoidfsTime(1_000_000, 7);
        ZoidfsSattr wanted =
                new ZoidfsSattr(AttributeMask.MODE | AttributeMask.MTIME, 0600, 0, 0, NEVER, then);
        assertThat(files.setattr(file, wanted, attributes)).isZero();
        assertThat(attributes.get())
                .returns(then, ZoidfsAttr::modified)
                .returns(0600, ZoidfsAttr::mode);
        assertThat(files.resize(file, 4)).isZero();
        assertThat(Files.size(export.resolve("folder/größe"))).isEqualTo(4);
        useNames(files, folder);
        assertThat(files.remove(null, "/folder")).isZero();
        assertThat(files.getattr(file, attributes)).isEqualTo(Status.STALE);
        assertThat(files.getattr(new ZoidfsHandle(1, 2, 3, 4), attributes)).isEqualTo(Status.STALE);
    }

    /** Regions of memory and of the file that are cut differently; a hole, and an end. */
    private static void moveData(Zoidfs files, ZoidfsHandle file) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment[] from = {memory(arena, "aaaab"), memory(arena, "bbbcc")};
            long[] fileSizes = {8, 2};
            assertThat(
                            files.write(
                                    file,
                                    2,
                                    from,
                                    new long[] {5, 5},
                                    2,
                                    new long[] {0, 10},
                                    fileSizes))
                    .isZero();
            assertThat(fileSizes).containsExactly(8, 2);
            MemorySegment[] into = {memory(arena, "......"), memory(arena, "......")};
            long[] memSizes = {6, 6};
            fileSizes = new long[] {4, 8};
            assertThat(files.read(file, 2, into, memSizes, 2, new long[] {4, 8}, fileSizes))
                    .isZero();
            assertThat(fileSizes).containsExactly(4, 4);
            assertThat(memSizes).containsExactly(6, 2);
            assertThat(text(into[0])).isEqualTo("bbbb\0\0");
            assertThat(text(into[1])).startsWith("cc");
            assertThat(
                            files.read(
                                    file,
                                    1,
                                    new MemorySegment[] {into[0]},
                                    new long[] {6},
                                    1,
                                    new long[] {0},
                                    new long[] {5}))
                    .isEqualTo(Status.INVAL);
        }
    }

    private static MemorySegment memory(Arena arena, String text) {
        return arena.allocate(text.length())
                .copyFrom(MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String text(MemorySegment memory) {
        return new String(memory.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    private void useNames(Zoidfs files, ZoidfsHandle folder) throws Exception {
        assertThat(files.rename(folder, "größe", folder, "b")).isZero();
        assertThat(files.link(folder, "b", null, "/folder/c")).isZero();
        assertThat(files.symlink("b", folder, "d")).isZero();
        assertThat(Files.readSymbolicLink(export.resolve("folder/d")).toString()).isEqualTo("b");
        Cell<ZoidfsHandle> link = new Cell<>();
        assertThat(files.lookup(folder, "d", link)).isZero();
        MemorySegment buffer = MemorySegment.ofArray(new byte[100]);
        LongCell length = new LongCell(100);
        assertThat(files.readlink(Objects.requireNonNull(link.get()), buffer, length)).isZero();
        assertThat(text(buffer.asSlice(0, length.get()))).isEqualTo("b");
        assertThat(names(files, folder)).containsExactlyInAnyOrder(".", "..", "b", "c", "d");
        // "." does not fit with its end, and this is not the end of the folder.
        LongCell count = new LongCell(1);
        length.set(1);
        assertThat(files.readdir(folder, 0, 0, new ZoidfsDirent[1], count, buffer, length))
                .isEqualTo(Status.INVAL);
        assertThat(files.lookup(folder, "none", link)).isEqualTo(Status.NOENT);
        assertThat(files.remove(null, "/folder")).isEqualTo(Status.NOTEMPTY);
        for (String name : List.of("b", "c", "d")) {
            assertThat(files.remove(folder, name)).isZero();
        }
    }

    /** Two entries at a time, so that cookies count. */
    private static List<String> names(Zoidfs files, ZoidfsHandle folder) {
        List<String> names = new ArrayList<>();
        ZoidfsDirent[] entries = new ZoidfsDirent[2];
        MemorySegment buffer = MemorySegment.ofArray(new byte[600]);
        LongCell count = new LongCell(2);
        long cookie = 0;
        while (true) {
            count.set(2);
            LongCell length = new LongCell(600);
            assertThat(files.readdir(folder, cookie, 0, entries, count, buffer, length)).isZero();
            if (count.get() == 0) {
                return names;
            }
            names.addAll(List.of(text(buffer.asSlice(0, length.get() - 1)).split("\0", -1)));
            cookie = entries[(int) count.get() - 1].cookie();
        }
    }
}

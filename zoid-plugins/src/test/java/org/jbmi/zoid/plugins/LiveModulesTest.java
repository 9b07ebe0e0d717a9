package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import org.jbmi.zoid.daemon.Statistics;
import org.jbmi.zoid.daemon.ZoidAdmin;
import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.plugins.mapping.Mapping.MappingPlace;
import org.jbmi.zoid.plugins.mapping.MappingClient;
import org.jbmi.zoid.plugins.test.TestClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Plug-ins that come and go while the server runs. */
@Timeout(90)
class LiveModulesTest {
    private static final String INTERFACE =
            """
            package live;
            import org.jbmi.zoid.forward.*;
            @ZoidPlugin(id = 300, name = "live")
            public interface Live extends PluginLifecycle {
                int version();
            }
            """;

    /** What it hears it writes to a file, since its classes are not those of the test. */
    private static final String FUNCTIONS =
            """
            package live;
            import org.jbmi.zoid.forward.*;
            import org.jbmi.zoid.forward.stub.PluginDispatcher;
            import java.io.*;
            import java.nio.file.*;
            public final class LiveFunctions implements Live {
                private final Path told;
                LiveFunctions(Path told) { this.told = told; }
                private synchronized void tell(String words) {
                    try {
                        Files.writeString(told, words + "\\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
                @Override public int version() { return VERSION; }
                @Override public void init(JobDescription job) { tell("init " + job.processCount()); }
                @Override public void fini() { tell("fini"); }
                @Override public void jobEnded(String job) { tell("ended " + job); }
                @Override public void proc(boolean added, int id) { tell("proc " + added + " " + id); }
                @Override public void unloaded() { tell("unloaded"); }
            }
            """;

    private static final String PROVIDER =
            """
            package live;
            import org.jbmi.zoid.forward.*;
            import org.jbmi.zoid.forward.stub.PluginDispatcher;
            import java.nio.file.Path;
            import java.util.Set;
            public final class LiveProvider implements PluginProvider {
                @Override public String name() { return "live"; }
                @Override public Set<String> settings() { return Set.of("live.told"); }
                @Override public PluginDispatcher open(PluginServices services) {
                    return new LiveDispatcher(
                            new LiveFunctions(Path.of(services.setting("live.told").orElseThrow())));
                }
            }
            """;

    @TempDir Path folder;

    @AutoClose private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private Path version(int number) throws Exception {
        Path own = Files.createDirectories(folder.resolve("v" + number));
        Map<String, String> sources =
                Map.of(
                        "Live",
                        INTERFACE,
                        "LiveFunctions",
                        FUNCTIONS.replace("VERSION", Integer.toString(number)),
                        "LiveProvider",
                        PROVIDER);
        return PluginCode.compile(own, sources, "live.LiveProvider");
    }

    private static ZoidSettings live() {
        return Server.settings().withModules(List.of("test")).withLive(true);
    }

    private List<String> told() throws Exception {
        return Files.readAllLines(folder.resolve("told"));
    }

    private List<String> setting() {
        return List.of("live.told=" + folder.resolve("told"));
    }

    @Test
    void aPluginIsReplacedByAnotherVersionOfItsCode() throws Exception {
        try (Server server = Server.of("loopback", live());
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            Zoid ranked = server.client(0, 1, "job");
            int first = ranked.processId();
            for (int version : new int[] {1, 2}) {
                Path classes = version(version);
                Files.deleteIfExists(folder.resolve("told"));
                ZoidAdmin.Plugins now = admin.load("live", classes.toString(), setting());
                assertThat(now.trouble()).isEmpty();
                assertThat(now.loaded())
                        .extracting(ZoidAdmin.Plugin::number, ZoidAdmin.Plugin::name)
                        .containsExactly(tuple(4, "test"), tuple(300, "live"));
                assertThat(now.loaded().getLast().file()).isEqualTo(classes.toString());
                // Who is there already, and who comes, in that order.
                Zoid second = server.client();
                assertThat(told())
                        .containsExactly(
                                "init 1", "proc true " + first, "proc true " + second.processId());
                assertThat(LiveCalls.version(ranked)).isEqualTo(version);
                second.close();
                while (server.daemon().processCount() > 1) {
                    TimeUnit.MILLISECONDS.sleep(2);
                }
                assertThat(admin.unload("live").trouble()).isEmpty();
                assertThat(told())
                        .containsExactly(
                                "init 1",
                                "proc true " + first,
                                "proc true " + second.processId(),
                                "proc false " + second.processId(),
                                "proc false " + first,
                                "fini",
                                "ended job",
                                "unloaded");
                assertThatThrownBy(() -> LiveCalls.version(ranked))
                        .isInstanceOfSatisfying(
                                ZoidException.class,
                                e -> assertThat(e.error()).isEqualTo(ZoidError.ENOSYS));
            }
            assertThat(new TestClient(ranked).add(1, 2)).isEqualTo(3);
            Statistics.Part part =
                    server.daemon().statistics().parts().stream()
                            .filter(each -> each.name().equals("Plugin 300"))
                            .findFirst()
                            .orElseThrow();
            assertThat(part.sentMessages()).isEqualTo(4); // two of them refused
        }
    }

    /** One of the class path, too, as its descriptors and waiting calls are its own matter. */
    @Test
    void aCallThatRunsEndsBeforeItsPluginDoes() throws Exception {
        try (Server server = Server.of("loopback", live());
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            Zoid zoid = server.client();
            Zoid other = server.client();
            assertThat(admin.load("mapping", "", List.of("mapping.sizes=2x1x1x1")).trouble())
                    .isEmpty();
            assertThat(new MappingClient(other).rankOf(new MappingPlace(1, 0, 0, 0))).isOne();
            Future<?> hangs = threads.submit(() -> new TestClient(zoid).wait_(3_600_000));
            while (!server.told().contains("waits")) {
                TimeUnit.MILLISECONDS.sleep(2);
            }
            Future<ZoidAdmin.Plugins> unloading = threads.submit(() -> admin.unload("test"));
            while (server.daemon().plugins().contains("test")) {
                TimeUnit.MILLISECONDS.sleep(2);
            }
            assertThatThrownBy(() -> new TestClient(other).add(1, 1))
                    .isInstanceOf(ZoidException.class)
                    .hasMessageContaining("has not loaded the plug-in 4");
            assertThat(new MappingClient(other).rankOf(new MappingPlace(0, 0, 0, 0))).isZero();
            assertThat(server.told()).doesNotContain("proc 0 " + zoid.processId());
            zoid.close();
            assertThatThrownBy(() -> hangs.get(60, TimeUnit.SECONDS)).isNotNull();
            unloading.get(60, TimeUnit.SECONDS);
            while (!server.told().contains("proc 0 " + other.processId())) {
                TimeUnit.MILLISECONDS.sleep(2);
            }
            assertThat(server.told()).containsOnlyOnce("proc 0 " + zoid.processId());
        }
    }

    @Test
    void whatCannotBeLoadedIsSaid() throws Exception {
        Path empty = Files.createDirectories(folder.resolve("empty"));
        Path broken = Files.createDirectories(folder.resolve("broken/META-INF/services"));
        Files.writeString(
                broken.resolve("org.jbmi.zoid.forward.PluginProvider"), "no.such.Provider\n");
        try (Server server = Server.of("loopback", live());
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            assertThat(admin.load("test", "", List.of()).trouble())
                    .isEqualTo("The plug-in test is loaded already.");
            assertThat(admin.load("nowhere", "", List.of()).trouble())
                    .startsWith("There is no plug-in 'nowhere'. There are: unix, mapping");
            assertThat(admin.load("live", "/no/such.jar", List.of()).trouble())
                    .isEqualTo("There is no file /no/such.jar to be read.");
            assertThat(admin.load("live", "relative.jar", List.of()).trouble())
                    .isEqualTo("The file of a plug-in is an absolute path.");
            assertThat(admin.load("live", empty.toString(), List.of()).trouble())
                    .isEqualTo("There is no plug-in 'live' in " + empty + ". There are none.");
            assertThat(admin.load("live", folder.resolve("broken").toString(), List.of()).trouble())
                    .startsWith("The plug-in cannot be loaded: ")
                    .contains("no.such.Provider");
            assertThat(admin.load("mapping", "", List.of("mapping.size=1x1x1x1")).trouble())
                    .isEqualTo("The plug-in mapping has no setting 'mapping.size'.");
            assertThat(admin.load("mapping", "", List.of("mapping.sizes=big")).trouble())
                    .isEqualTo("mapping.sizes is like 8x4x4x1, and not big.");
            assertThat(admin.unload("mapping").trouble())
                    .isEqualTo("The plug-in 'mapping' is not loaded.");
            assertThat(admin.plugins().loaded()).hasSize(1);
        }
    }

    @Test
    void whoWasNotStartedForItKeepsItsPlugins() throws Exception {
        try (Server server = Server.of("loopback");
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            assertThat(admin.unload("test").trouble()).contains("started without --live");
            assertThat(admin.load("zoidfs", "", List.of()).trouble()).contains("without --live");
            assertThat(admin.plugins().loaded()).hasSize(4);
        }
        try (Server server = Server.of("tcp", live());
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            assertThat(admin.unload("test").trouble()).contains("not over tcp");
            assertThat(server.daemon().plugins()).containsExactly("test");
        }
    }
}

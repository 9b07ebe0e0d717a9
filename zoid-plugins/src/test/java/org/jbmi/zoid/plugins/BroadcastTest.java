package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoid.daemon.Statistics;
import org.jbmi.zoid.daemon.ZoidAdmin;
import org.jbmi.zoid.daemon.ZoidDaemon;
import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.plugins.test.TestProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Files that go from the server to all who receive broadcasts. */
@Timeout(90)
class BroadcastTest {
    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"loopback", "zoid"})
    void allReceiversHaveTheFile(String method) throws Exception {
        try (Server server = Server.of(method);
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            for (int i = 0; i < 4; i++) {
                server.client().receiveBroadcasts(folder.resolve("node" + i));
            }
            for (int size : new int[] {7_000_001, 0, 2 << 20, 5}) {
                byte[] content = new byte[size];
                new Random(size).nextBytes(content);
                Path input = folder.resolve("input");
                Files.write(input, content);
                ZoidAdmin.Broadcast done = admin.broadcast(input.toString(), "/tmp/large");
                assertThat(done).isEqualTo(new ZoidAdmin.Broadcast(4, size, ""));
                for (int i = 0; i < 4; i++) {
                    Path copy = folder.resolve("node" + i + "/tmp/large");
                    assertThat(Arrays.mismatch(Files.readAllBytes(copy), content)).isEqualTo(-1);
                    assertThat(names(folder.resolve("node" + i + "/tmp"))).containsExactly("large");
                }
            }
            Statistics.Part part = server.daemon().statistics().parts().get(2);
            assertThat(part.name()).isEqualTo("Broadcast");
            assertThat(part.sentBytes()).isGreaterThan(4L * 7_000_001);
        }
    }

    private static List<String> names(Path in) throws IOException {
        try (Stream<Path> files = Files.list(in)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void whoCannotTakeTheFileIsNamed() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "text");
        Files.writeString(folder.resolve("file"), "no folder");
        try (Server server = Server.of("loopback");
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            assertThat(admin.broadcast(input.toString(), "/x").trouble())
                    .isEqualTo("Nobody receives broadcasts.");
            server.client().receiveBroadcasts(folder.resolve("good"));
            Zoid bad = server.client();
            bad.receiveBroadcasts(folder.resolve("file"));
            ZoidAdmin.Broadcast done = admin.broadcast(input.toString(), "/x");
            assertThat(done.receivers()).isOne();
            assertThat(done.trouble())
                    .startsWith("process " + bad.processId() + " (")
                    .contains(folder.resolve("file").toString())
                    .doesNotContain("java.nio");
            assertThat(folder.resolve("good/x")).hasContent("text");
            bad.close();
            while (server.daemon().processCount() > 1) {
                Thread.onSpinWait();
            }
            assertThat(admin.broadcast(input.toString(), "/y").trouble()).isEmpty();
            assertThat(folder.resolve("good/y")).hasContent("text");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/../outside", "/a/../../outside", "/"})
    void nothingIsWrittenOutsideOfTheFolder(String output) throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "text");
        try (Server server = Server.of("loopback");
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            server.client().receiveBroadcasts(folder.resolve("node"));
            ZoidAdmin.Broadcast done = admin.broadcast(input.toString(), output);
            assertThat(done.receivers()).isZero();
            assertThat(done.trouble()).contains("leads out of the receiver's folder");
            assertThat(names(folder)).doesNotContain("outside");
        }
    }

    /** Receivers are on other machines; who asks for a broadcast is on the server's. */
    @Test
    void receiversOverTcpHaveWhatTheServersUserBroadcasts() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "text");
        LoopbackHub hub = new LoopbackHub();
        try (Bmi bmi =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen("loopback://server")
                                .listen("tcp://127.0.0.1:0")
                                .open();
                ZoidDaemon daemon =
                        ZoidDaemon.serve(
                                bmi,
                                ZoidSettings.defaults().withModules(List.of("test")),
                                List.of(new TestProvider()),
                                sentence -> {});
                Bmi near = Bmi.builder().attach(LoopbackHub.class, hub).open();
                Bmi far = Bmi.open();
                ZoidAdmin admin = ZoidAdmin.of(near, "loopback://server");
                Zoid receiver =
                        Server.describe(far)
                                .connect("tcp://127.0.0.1:" + bmi.getOption(TcpOptions.PORT))) {
            receiver.receiveBroadcasts(folder.resolve("node"));
            assertThat(admin.broadcast(input.toString(), "/x"))
                    .isEqualTo(new ZoidAdmin.Broadcast(1, 4, ""));
            assertThat(folder.resolve("node/x")).hasContent("text");
            // A name that no file can have is told, and the receiver goes on.
            assertThat(admin.broadcast(input.toString(), "/a\0b").trouble())
                    .contains("Nul character not allowed");
            assertThat(admin.broadcast(input.toString(), "/y").trouble()).isEmpty();
            assertThat(daemon.processCount()).isOne();
        }
    }

    /** Whoever reaches the port could read any file of the server's user. */
    @Test
    void overTcpNoFileOfTheServerIsBroadcast() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "text");
        try (Server server = Server.of("tcp");
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            server.client().receiveBroadcasts(folder.resolve("node"));
            assertThat(admin.broadcast(input.toString(), "/x").trouble())
                    .isEqualTo(
                            "A file of the server is broadcast for its own user only, not over"
                                    + " tcp or a gateway.");
            assertThat(folder.resolve("node/x")).doesNotExist();
        }
    }

    @Test
    void anInputThatIsNotAFileIsSaid() throws Exception {
        try (Server server = Server.of("loopback");
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            assertThat(admin.broadcast(folder.toString(), "/x").trouble())
                    .isEqualTo("The input is no file: " + folder + ".");
        }
    }

    @Test
    void anInputThatIsNotThereIsSaid() throws Exception {
        try (Server server = Server.of("loopback");
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address())) {
            assertThat(admin.broadcast("/no/such/file", "/x").trouble())
                    .isEqualTo("The input cannot be read. There is no file /no/such/file.");
            assertThat(admin.broadcast("relative", "/x").trouble())
                    .isEqualTo("Both paths must be absolute.");
        }
    }
}

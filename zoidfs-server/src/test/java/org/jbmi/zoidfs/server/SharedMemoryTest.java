package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Over shared memory, where clients move the bytes of the server's messages themselves. */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedMemoryTest extends ServerFeature {
    private static final int THREADS = 8;
    private static final int ROUNDS = 12;
    private static final int AREA_BYTES = 4 << 20;
    private static final int[] SIZES = {1, 88, 89, 4_096, 65_537, 200_000, 1 << 20, (3 << 20) + 1};

    private Bmi bmi;
    private ZoidfsServer server;

    @BeforeEach
    void start() throws IOException {
        Path export = Files.createDirectory(folder.resolve("export"));
        Limits limits = new Limits(256, 40L << 20, 1 << 20, 4, 60_000, 100, 128 << 20);
        bmi =
                builder(folder.resolve("run").toString())
                        .automaticReferences(true)
                        .knob("zoid.host", "embedded")
                        .knob("zbmi.segmentDirectory", folder.toString())
                        .knob("zbmi.totalBytes", "64m")
                        // Longer than a test lasts.
                        .knob("zbmi.immediateWaitMs", "60000")
                        .listen("zoid://")
                        .open();
        server =
                ZoidfsServer.serve(
                        bmi, ExportSettings.of(export, ExportKey.random()), Dialect.MAIN, limits);
    }

    @AfterEach
    void stop() {
        server.close();
        bmi.close();
    }

    private static BmiBuilder builder(String runtime) {
        return Bmi.builder().knob("zoid.runtimeDirectory", runtime);
    }

    private Client client() {
        Bmi own = builder(folder.resolve("run").toString()).open();
        ClientOptions options = ClientOptions.DEFAULT.withTimeoutMs(20_000);
        return new Client(own, ZoidfsClient.connect(own, "zoid://", options));
    }

    @Test
    void transfersOfAllSizesAtOnceAreRight() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        try (Client one = client();
                Client two = client()) {
            FileHandle file = one.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                ZoidfsClient client = (t % 2 == 0 ? one : two).zoidfs();
                long area = (long) t * AREA_BYTES;
                Random random = new Random(seed + t);
                all.add(
                        client.submit(
                                () -> {
                                    for (int i = 0; i < ROUNDS; i++) {
                                        writeAndRead(client, file, area, random);
                                    }
                                    return true;
                                }));
            }
            for (CompletableFuture<?> each : all) {
                each.get();
            }
        }
    }

    private static void writeAndRead(ZoidfsClient client, FileHandle file, long area, Random random)
            throws IOException {
        int size = SIZES[random.nextInt(SIZES.length)];
        long offset = area + random.nextInt(AREA_BYTES - size);
        MemorySegment data = random(size, random.nextLong());
        assertThat(client.write(file, data, offset)).isEqualTo(size);
        MemorySegment back = MemorySegment.ofArray(new byte[size]);
        for (int i = 0; i < 2; i++) {
            back.fill((byte) 0);
            assertThat(client.read(file, back, offset)).isEqualTo(size);
            assertThat(back.mismatch(data)).as("%d bytes at %d", size, offset).isEqualTo(-1);
        }
    }

    /** The server has granted it messages, which it neither moves nor gives back. */
    @Test
    void aClientThatStandsStillKeepsNobodyWaiting() throws Exception {
        try (Client client = client()) {
            FileHandle file = client.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            MemorySegment data = random(1 << 20, 1);
            client.zoidfs().write(file, data, 0);
            Process still =
                    new ProcessBuilder(
                                    ServerProcess.command(
                                            ReadingClient.class, folder.resolve("run").toString()))
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            try (BufferedReader out = still.inputReader()) {
                assertThat(out.readLine()).isEqualTo("reading");
                String pid = Long.toString(still.pid());
                assertThat(new ProcessBuilder("kill", "-STOP", pid).start().waitFor()).isZero();
                MemorySegment back = MemorySegment.ofArray(new byte[1 << 20]);
                for (int i = 0; i < 20; i++) {
                    client.zoidfs().write(file, data.asSlice(0, 5_000), 0);
                    assertThat(client.zoidfs().read(file, back, 0)).isEqualTo(1 << 20);
                    assertThat(back.mismatch(data)).isEqualTo(-1);
                    assertThat(client.zoidfs().getAttributes(file).size()).isEqualTo(1 << 20);
                }
            } finally {
                still.destroyForcibly().waitFor();
            }
            Await.until("the calls of the dead one are over", () -> server.calls() == 0);
        }
    }

    /** Reads one file in several threads until it is killed. */
    static final class ReadingClient {
        private ReadingClient() {}

        public static void main(String[] arguments) throws Exception {
            try (Bmi bmi = builder(arguments[0]).open();
                    ZoidfsClient client =
                            ZoidfsClient.connect(bmi, "zoid://", ClientOptions.DEFAULT)) {
                FileHandle file = client.lookup(FileSpec.path("/f"));
                for (int t = 1; t < THREADS; t++) {
                    client.submit(() -> readOn(client, file));
                }
                client.read(file, MemorySegment.ofArray(new byte[1 << 20]), 0);
                System.out.println("reading");
                readOn(client, file);
            }
        }

        private static boolean readOn(ZoidfsClient client, FileHandle file) throws IOException {
            MemorySegment back = MemorySegment.ofArray(new byte[1 << 20]);
            // Until nobody listens any more.
            while (!System.out.checkError()) {
                client.read(file, back, 0);
            }
            return true;
        }
    }
}

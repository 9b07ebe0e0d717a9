package org.jbmi.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.demo.worker.DemoWorkerMain;
import org.jbmi.demo.worker.WorkerSettings;
import org.jbmi.testsuite.support.ProgramRun;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The demo between two hosts, whose link is cut in the middle. */
@Timeout(300)
class TwoHostsTest {
    private static final int SIZE_BYTES = 160 << 20;
    private static final int CHUNK_BYTES = 1 << 20;
    private static final String ADDRESS = "tcp://" + TwoHosts.FIRST + ":3334";

    @TempDir private Path temporary;
    private TwoHosts hosts;
    private final List<ProgramRun> runs = new ArrayList<>();
    private Path file;

    @BeforeEach
    void open() throws Exception {
        try {
            hosts = new TwoHosts();
        } catch (TwoHosts.NotAllowedException e) {
            Assumptions.abort(e.getMessage());
        }
        file = temporary.resolve("shipped");
        byte[] piece = new byte[1 << 20];
        new Random(7).nextBytes(piece);
        try (FileChannel out =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int at = 0; at < SIZE_BYTES; at += piece.length) {
                piece[at >>> 20 & 0xff]++;
                out.write(ByteBuffer.wrap(piece));
            }
        }
    }

    @AfterEach
    void close() {
        runs.forEach(ProgramRun::close);
        if (hosts != null) {
            hosts.close();
        }
    }

    private ProgramRun worker(int host, String role, Map<String, String> knobs) throws IOException {
        WorkerSettings settings =
                new WorkerSettings(
                        role,
                        ADDRESS,
                        List.of(Files.createDirectories(temporary.resolve("host" + host))),
                        file,
                        SIZE_BYTES,
                        CHUNK_BYTES,
                        4,
                        knobs);
        ProgramRun run =
                ProgramRun.start(
                        hosts.on(host),
                        DemoWorkerMain.class,
                        List.of(),
                        settings.toArguments().toArray(new String[0]));
        runs.add(run);
        return run;
    }

    private static void tell(ProgramRun run, String command) throws IOException {
        Writer in = run.process().outputWriter();
        in.write(command + "\n");
        in.flush();
    }

    private static void awaitProgress(ProgramRun run) throws InterruptedException {
        run.awaitLine(line -> line.startsWith("progress "));
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "NetworkTest of zoidfs cuts and mends a link")
    void linkIsCutAndMended() throws Exception {
        ProgramRun server = worker(0, DemoWorkerMain.SERVER, Map.of());
        server.awaitLine(line -> line.startsWith("ready "));
        ProgramRun client = worker(1, DemoWorkerMain.CLIENT + "1", Map.of());
        client.awaitLine(line -> line.startsWith("ready "));
        tell(client, "write");
        awaitProgress(client);
        hosts.link(false);
        Thread.sleep(600); // as long as the link is broken
        assertThat(client.out()).noneMatch(line -> line.startsWith("wrote "));
        hosts.link(true);
        client.awaitLine(line -> line.startsWith("wrote "));
        client.out().clear();
        tell(client, "read");
        awaitProgress(client);
        hosts.link(false);
        Thread.sleep(300);
        hosts.link(true);
        String read = client.awaitLine(line -> line.startsWith("read "));
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(Files.readAllBytes(file));
        assertThat(read).endsWith(HexFormat.of().formatHex(digest.digest()));
        tell(client, "quit");
        assertThat(client.awaitEnd()).as(client.transcript()).isZero();
        tell(server, "quit");
        assertThat(server.awaitEnd()).as(server.transcript()).isZero();
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "a client waits 30 s for its server")
    void linkIsCutForGood() throws Exception {
        Map<String, String> impatient = Map.of("tcp.stallTimeoutMs", "2000");
        ProgramRun server = worker(0, DemoWorkerMain.SERVER, impatient);
        server.awaitLine(line -> line.startsWith("ready "));
        ProgramRun client = worker(1, DemoWorkerMain.CLIENT + "1", impatient);
        client.awaitLine(line -> line.startsWith("ready "));
        tell(client, "write");
        awaitProgress(client);
        hosts.link(false);
        String failed = client.awaitLine(line -> line.startsWith("failed "));
        assertThat(failed).matches("failed 0 0 [A-Z].*[.]");
        System.out.println("TwoHostsTest: " + failed);
        assertThat(client.awaitEnd()).isEqualTo(1);
        // The server is there for others.
        hosts.link(true);
        ProgramRun next = worker(1, DemoWorkerMain.CLIENT + "2", impatient);
        next.awaitLine(line -> line.startsWith("ready "));
        tell(next, "write");
        next.awaitLine(line -> line.startsWith("wrote "));
        tell(next, "quit");
        assertThat(next.awaitEnd()).as(next.transcript()).isZero();
    }
}

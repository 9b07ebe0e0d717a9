package org.jbmi.tools.zoidfs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.ZoidfsMain;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** One server, reached by tcp and by shared memory at once. */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TwoMethodsTest {
    private static final int CLIENTS_OF_EACH = 2;
    private static final int ROUNDS = 20;
    private static final int BLOCK_BYTES = 70_000;
    private static final int RECORD_BYTES = 500;

    @TempDir private Path folder;

    private Path runtime() {
        return folder.resolve("run");
    }

    private ProgramRun serve(Path export) throws IOException {
        return ProgramRun.start(
                ZoidfsMain.class,
                List.of(),
                "serve",
                "--export",
                export.toString(),
                "--state",
                folder.resolve("state").toString(),
                "--knob",
                "zoid.runtimeDirectory=" + runtime(),
                "--knob",
                "zoid.host=embedded",
                "--knob",
                "zbmi.segmentDirectory=" + folder,
                "--knob",
                "zbmi.totalBytes=64m",
                "tcp://127.0.0.1:0",
                "zoid://");
    }

    /** One client with its own instance. */
    private record Client(Bmi bmi, ZoidfsClient files) implements AutoCloseable {
        static Client of(Path runtime, String address) {
            Bmi bmi = Bmi.builder().knob("zoid.runtimeDirectory", runtime.toString()).open();
            return new Client(bmi, ZoidfsClient.connect(bmi, address, ClientOptions.DEFAULT));
        }

        @Override
        public void close() {
            files.close();
            bmi.close();
        }
    }

    @Test
    void clientsOfBothMethodsWriteOneFile() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        try (ProgramRun server = serve(export)) {
            String ready = server.awaitLine(line -> line.startsWith("ready "));
            String[] addresses = ready.substring("ready ".length()).split(" ");
            assertThat(addresses).hasSize(2);
            assertThat(addresses[0]).startsWith("tcp://");
            assertThat(addresses[1]).isEqualTo("zoid://");
            List<Client> clients = new ArrayList<>();
            try {
                for (int i = 0; i < CLIENTS_OF_EACH; i++) {
                    clients.add(Client.of(runtime(), addresses[0]));
                    clients.add(Client.of(runtime(), addresses[1]));
                }
                writeAll(clients, export);
                appendAll(clients, export);
            } finally {
                clients.forEach(Client::close);
            }
            server.process().destroy();
            assertThat(server.awaitEnd()).as(server::transcript).isZero();
        }
    }

    /** Neighbouring blocks are those of other clients. */
    private static void writeAll(List<Client> clients, Path export) throws Exception {
        FileHandle file = create(clients.get(0), "/blocks");
        assertThat(create(clients.get(1), "/blocks")).isEqualTo(file);
        runAll(
                clients,
                (client, number) -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        int block = round * clients.size() + number;
                        long at = (long) block * BLOCK_BYTES;
                        MemorySegment bytes = MemorySegment.ofArray(block(block));
                        if (round % 2 == 0) {
                            client.write(file, bytes, at);
                        } else {
                            client.writeBehind(file, bytes, at);
                        }
                    }
                    client.commit(file);
                });
        int blocks = ROUNDS * clients.size();
        byte[] expected = new byte[blocks * BLOCK_BYTES];
        for (int i = 0; i < blocks; i++) {
            System.arraycopy(block(i), 0, expected, i * BLOCK_BYTES, BLOCK_BYTES);
        }
        assertThat(Files.readAllBytes(export.resolve("blocks"))).isEqualTo(expected);
        runAll(
                clients,
                (client, number) -> {
                    byte[] back = new byte[expected.length];
                    assertThat(client.read(file, MemorySegment.ofArray(back), 0))
                            .isEqualTo(back.length);
                    assertThat(Arrays.mismatch(back, expected)).isEqualTo(-1);
                });
    }

    private static void appendAll(List<Client> clients, Path export) throws Exception {
        FileHandle log = create(clients.get(0), "/log");
        runAll(
                clients,
                (client, number) -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        byte[] entry = new byte[RECORD_BYTES];
                        Arrays.fill(entry, (byte) (round * clients.size() + number));
                        client.append(log, MemorySegment.ofArray(entry), 0);
                    }
                });
        byte[] found = Files.readAllBytes(export.resolve("log"));
        int records = ROUNDS * clients.size();
        assertThat(found).hasSize(records * RECORD_BYTES);
        Set<Byte> seen = new HashSet<>();
        for (int i = 0; i < records; i++) {
            byte[] entry = Arrays.copyOfRange(found, i * RECORD_BYTES, (i + 1) * RECORD_BYTES);
            assertThat(entry).containsOnly(entry[0]);
            seen.add(entry[0]);
        }
        assertThat(seen).hasSize(records);
    }

    private static byte[] block(int number) {
        byte[] bytes = new byte[BLOCK_BYTES];
        Arrays.fill(bytes, (byte) (number + 1));
        bytes[0] = (byte) (number >> 8);
        return bytes;
    }

    private static FileHandle create(Client client, String path) throws IOException {
        return client.files().create(FileSpec.path(path), SettableAttributes.ofMode(0644)).handle();
    }

    /** What one client does. */
    private interface Work {
        void run(ZoidfsClient client, int number) throws IOException;
    }

    private static void runAll(List<Client> clients, Work work) throws Exception {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            ZoidfsClient client = clients.get(i).files();
            int number = i;
            all.add(
                    client.submit(
                            () -> {
                                work.run(client, number);
                                return null;
                            }));
        }
        for (CompletableFuture<?> each : all) {
            each.get();
        }
    }
}

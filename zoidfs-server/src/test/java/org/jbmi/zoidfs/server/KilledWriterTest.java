package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A client that is killed in the middle of a write. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledWriterTest {
    private static final int CHUNK_BYTES = 50_000;
    private static final int CHUNKS = 20;

    @TempDir private Path folder;

    @Test
    void aClientThatIsKilledLeavesWholeChunksAndGivesItsMemoryBack() throws Exception {
        try (TestServer server = TestServer.of(folder)) {
            List<String> command = ServerProcess.command(WritingClient.class, server.address());
            Process writer =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            try (BufferedReader out = writer.inputReader()) {
                for (int i = 0; i < 3; i++) {
                    assertThat(out.readLine()).isEqualTo("round " + i);
                }
                writer.destroyForcibly().waitFor();
            } finally {
                writer.destroyForcibly();
            }
            // The last bytes of the client may be unread while no call is under way.
            Await.until(
                    "all calls are over, and all chunks whole",
                    () -> server.server().calls() == 0 && hasWholeChunks(folder.resolve("f")));
        }
    }

    private static boolean hasWholeChunks(Path file) {
        try {
            byte[] found = Files.readAllBytes(file);
            boolean isWhole = found.length == CHUNKS * CHUNK_BYTES;
            for (int i = 0; i < found.length && isWhole; i++) {
                isWhole = found[i] == found[i - i % CHUNK_BYTES];
            }
            return isWhole;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a file again and again, each time with another byte. */
    static final class WritingClient {
        private WritingClient() {}

        public static void main(String[] arguments) throws IOException {
            ClientOptions options = ClientOptions.DEFAULT.withChunkBytes(CHUNK_BYTES);
            try (Bmi bmi = Bmi.open();
                    ZoidfsClient client = ZoidfsClient.connect(bmi, arguments[0], options)) {
                FileHandle file =
                        client.create(FileSpec.path("/f"), SettableAttributes.ofMode(0644))
                                .handle();
                byte[] bytes = new byte[CHUNKS * CHUNK_BYTES];
                // Until nobody listens any more.
                for (int round = 0; !System.out.checkError(); round++) {
                    Arrays.fill(bytes, (byte) (round + 1));
                    client.write(file, MemorySegment.ofArray(bytes), 0);
                    System.out.println("round " + round);
                }
            }
        }
    }
}

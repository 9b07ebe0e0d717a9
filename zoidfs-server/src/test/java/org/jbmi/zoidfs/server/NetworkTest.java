package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;

/**
 * A server and a client in a network namespace each, with a cable between them that is pulled in
 * the middle of a copy and put in again. Everything runs in namespaces of the test's own, and ends
 * with them.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NetworkTest {
    private static final int SIZE_BYTES = 16 << 20;
    private static final int PART_BYTES = 1 << 20;
    private static final long CUT_AT = 4 << 20;
    private static final String ADDRESS = "tcp://10.77.0.2:3334";

    /** Two hosts and a cable, a server on the far one, and then what the test says. */
    private static final String SCRIPT =
            """
            ip link set lo up
            unshare -n sleep 3600 & far=$!
            here=$(readlink /proc/$$/ns/net)
            while [ "$(readlink /proc/$far/ns/net)" = "$here" ]; do sleep 0.01; done
            ip link add near type veth peer name far netns $far
            ip addr add 10.77.0.1/24 dev near
            ip link set near up
            nsenter -t $far -n ip link set lo up
            nsenter -t $far -n ip addr add 10.77.0.2/24 dev far
            nsenter -t $far -n ip link set far up
            sleep 3600 | nsenter -t $far -n $JAVA "$SERVER" "$EXPORT" "$KEY" "$ADDRESS" &
            while read -r line; do
                case $line in
                    'copy '*) $JAVA "$COPIER" "$ADDRESS" "$ENOUGH" ${line#copy } & ;;
                    'near down') ip link set near down ;;
                    'near up') sleep 0.5; ip link set near up ;;
                    'far down') nsenter -t $far -n ip link set far down ;;
                    'far up') sleep 0.5; nsenter -t $far -n ip link set far up ;;
                esac
                echo "did $line"
            done
            """;

    private static final List<String> APART =
            List.of("unshare", "-n", "-m", "-p", "-f", "--kill-child", "--mount-proc");

    @TempDir private Path folder;
    private Process hosts;
    private BufferedReader said;
    private BufferedWriter told;
    private final List<String> lines = new ArrayList<>();

    private static List<String> apart(String script) {
        List<String> command = new ArrayList<>(APART);
        command.addAll(List.of("sh", "-e", "-c", script));
        return command;
    }

    @BeforeEach
    void start() throws Exception {
        Namespaces.assume(
                "two network namespaces with a cable",
                apart(
                        """
                        unshare -n sleep 60 & far=$!
                        here=$(readlink /proc/$$/ns/net)
                        while [ "$(readlink /proc/$far/ns/net)" = "$here" ]; do sleep 0.01; done
                        ip link add near type veth peer name far netns $far
                        nsenter -t $far -n ip link set far up
                        """));
        Path export = Files.createDirectory(folder.resolve("export"));
        ProcessBuilder builder = new ProcessBuilder(apart(SCRIPT));
        String java = ChildJvm.java();
        builder.environment()
                .putAll(
                        Map.of(
                                "JAVA",
                                java
                                        + " -XX:TieredStopAtLevel=1 -Xmx256m"
                                        + " --enable-native-access=ALL-UNNAMED",
                                "CLASSPATH",
                                System.getProperty("java.class.path"),
                                "SERVER",
                                ServerProcess.class.getName(),
                                "COPIER",
                                Copier.class.getName(),
                                "EXPORT",
                                export.toString(),
                                "KEY",
                                folder.resolve("state/key").toString(),
                                "ENOUGH",
                                enough().toString(),
                                "ADDRESS",
                                ADDRESS));
        hosts = builder.redirectErrorStream(true).start();
        said = hosts.inputReader();
        told = hosts.outputWriter();
        await(line -> line.startsWith("ready "));
    }

    /** When this file is there, the copier ends with the copy that it makes. */
    private Path enough() {
        return folder.resolve("enough");
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (hosts != null) {
            hosts.destroyForcibly().waitFor();
        }
    }

    private String await(Predicate<String> wanted) throws IOException {
        String line = said.readLine();
        while (line != null && !wanted.test(line)) {
            lines.add(line);
            line = said.readLine();
        }
        assertThat(line).as("after " + lines).isNotNull();
        return line;
    }

    private void tell(String command) throws IOException {
        told.write(command + "\n");
        told.flush();
        await(("did " + command)::equals);
    }

    private static boolean isBeyond(String line, long offset) {
        return line.startsWith("at ") && Long.parseLong(line.substring(3)) >= offset;
    }

    private void assertItEndsWhole() throws IOException {
        Files.createFile(enough());
        await("copied"::equals);
        await("read the same"::equals);
        assertThat(Files.readAllBytes(folder.resolve("export/f"))).isEqualTo(Copier.content());
        Files.delete(enough());
    }

    @Test
    void aCopyGoesOnWhenTheCableIsBack() throws Exception {
        for (String end : List.of("near", "far")) {
            tell("copy 60000");
            await(line -> isBeyond(line, CUT_AT));
            tell(end + " down");
            tell(end + " up");
            assertItEndsWhole();
        }
        assertThat(lines).noneMatch(line -> line.startsWith("failed"));
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "ten seconds")
    void aCopyEndsWithASentenceWhenTheCableStaysAwayAndTheNextOneIsWhole() throws Exception {
        tell("copy 3000");
        await(line -> isBeyond(line, CUT_AT));
        tell("far down");
        // Said again and again, as long as it is away.
        await("still away"::equals);
        assertThat(lines).anyMatch(line -> line.startsWith("failed The server did not answer"));
        byte[] found = Files.readAllBytes(folder.resolve("export/f"));
        byte[] content = Copier.content();
        for (int i = 0; i < found.length; i++) {
            if (found[i] != content[i] && found[i] != 0) {
                throw new AssertionError("The byte at " + i + " is " + found[i]);
            }
        }
        tell("far up");
        assertItEndsWhole();
    }

    /** Copies a file there again and again, and reads it in the end. */
    static final class Copier {
        private Copier() {}

        static byte[] content() {
            byte[] content = new byte[SIZE_BYTES];
            new Random(7).nextBytes(content);
            return content;
        }

        /** The address, the file that says enough, and how long the server may be silent, in ms. */
        public static void main(String[] arguments) throws IOException {
            Path enough = Path.of(arguments[1]);
            byte[] content = content();
            ClientOptions options =
                    ClientOptions.DEFAULT
                            .withTimeoutMs(Long.parseLong(arguments[2]))
                            .withChunkBytes(100_000);
            try (Bmi bmi = Bmi.open();
                    ZoidfsClient client = ZoidfsClient.connect(bmi, arguments[0], options)) {
                boolean last = false;
                boolean whole = false;
                while (!last || !whole) {
                    last = Files.exists(enough);
                    whole = copies(client, content);
                    if (!whole) {
                        awaitServer(client);
                    }
                }
                System.out.println("copied");
                byte[] back = new byte[SIZE_BYTES + 1];
                FileHandle file = client.lookup(FileSpec.path("/f"));
                long read = client.read(file, MemorySegment.ofArray(back), 0);
                boolean same =
                        read == SIZE_BYTES
                                && Arrays.equals(Arrays.copyOf(back, SIZE_BYTES), content);
                System.out.println(same ? "read the same" : "read something else");
            }
        }

        private static boolean copies(ZoidfsClient client, byte[] content) throws IOException {
            try {
                SettableAttributes plain = SettableAttributes.ofMode(0644);
                FileHandle file = client.create(FileSpec.path("/f"), plain).handle();
                for (long at = 0; at < SIZE_BYTES; at += PART_BYTES) {
                    System.out.println("at " + at);
                    MemorySegment part = MemorySegment.ofArray(content).asSlice(at, PART_BYTES);
                    client.write(file, part, at);
                }
                return true;
            } catch (ZoidfsException e) {
                System.out.println("failed " + e.getMessage());
                return false;
            }
        }

        private static void awaitServer(ZoidfsClient client) throws IOException {
            while (true) {
                try {
                    client.ping();
                    return;
                } catch (ZoidfsException e) {
                    System.out.println("still away");
                }
            }
        }
    }
}

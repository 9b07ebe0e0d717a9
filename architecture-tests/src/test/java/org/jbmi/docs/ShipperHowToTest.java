package org.jbmi.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.FreePort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Types docs/howto/shipper.md in as it stands, in an empty folder: its files, then its commands,
 * with the Maven of this machine and the jars that the build made. It takes half a minute, and
 * Maven may fetch a plugin.
 */
@EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
@Timeout(600)
class ShipperHowToTest {
    private static final String GENERATED = "target/generated-sources/annotations/";
    private static final String PORT = ":7070";

    @TempDir private Path work;
    private HowToFolder folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = new HowToFolder(work);
    }

    /** The folder of the test goes, and what is elsewhere stays. */
    @AfterEach
    void removeLinks() throws IOException {
        folder.close();
    }

    private final int freePort = FreePort.find();

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "zoid"})
    void whatThePageSaysWorks(String method) throws Exception {
        String page = Documents.read("docs/howto/shipper.md");
        List<HowToFolder.Block> blocks =
                HowToFolder.blocks(method.equals("zoid") ? overZoid(page) : page);
        for (HowToFolder.Block block : blocks) {
            if (!block.file().startsWith(GENERATED)) {
                folder.write(block);
            }
        }
        assertThat(folder.has("bmi-shipper-processor")).as("run mvn verify").isTrue();
        List<String> commands =
                blocks.stream()
                        .filter(block -> block.language().equals("sh"))
                        .flatMap(block -> block.text().lines())
                        .map(line -> line.replace(PORT, ":" + freePort))
                        .toList();
        assertThat(commands).hasSize(3);

        Process build = folder.start(commands.get(0));
        HowToFolder.succeeds(build, commands.get(0) + HowToFolder.rest(build.inputReader()));
        Process server = folder.start(commands.get(1));
        try {
            assertThat(server.inputReader().readLine()).startsWith("serving at " + method);
            Process client = folder.start(commands.get(2));
            assertThat(HowToFolder.rest(client.inputReader()))
                    .containsExactly("the call is under way", "written: 20000000 bytes");
            HowToFolder.succeeds(client, commands.get(2));
            server.outputWriter().write("\n");
            server.outputWriter().close();
            HowToFolder.succeeds(server, commands.get(1));
        } finally {
            server.destroyForcibly().waitFor();
        }
        byte[] written = Files.readAllBytes(folder.path().resolve("demo.dat"));
        assertThat(written).hasSize(20_000_000).containsOnly('x');
        for (HowToFolder.Block block : blocks) {
            if (block.file().startsWith(GENERATED)) {
                assertThat(Files.readString(folder.path().resolve(block.file())))
                        .contains(block.text());
            }
        }
    }

    /** What the page tells those to change who want shared memory. */
    private static String overZoid(String page) {
        assertThat(page)
                .contains("Use `bmi-method-zoid` in place of `bmi-method-tcp`")
                .contains("`--enable-native-access=ALL-UNNAMED`");
        return page.replace("<artifactId>bmi-method-tcp", "<artifactId>bmi-method-zoid")
                .replace("tcp://127.0.0.1" + PORT, "zoid://")
                .replace("\njava -cp", "\njava --enable-native-access=ALL-UNNAMED -cp");
    }
}

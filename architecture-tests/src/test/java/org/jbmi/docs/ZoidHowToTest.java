package org.jbmi.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.FreePort;
import org.jbmi.tools.ZoidMain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Types docs/howto/zoid-plugin.md in as it stands, in an empty folder, as {@link ShipperHowToTest}
 * does with its page. In the place of {@code bin/zoid}, which would build what is being built, the
 * program is run that it runs.
 */
@EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
@Timeout(600)
class ZoidHowToTest {
    private static final String SERVICES =
            "src/main/resources/META-INF/services/org.jbmi.zoid.forward.PluginProvider";
    private static final String SCRIPT =
            "JBMI_CLASS_PATH=$PWD/target/classes \"$JBMI_DIR/bin/zoid\" serve";

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

    @ParameterizedTest
    @ValueSource(strings = {"zoid", "tcp"})
    void whatThePageSaysWorks(String method) throws Exception {
        String page = Documents.read("docs/howto/zoid-plugin.md");
        assertThat(page)
                .contains("`" + SERVICES + "` has one line:\n\n```\ndemo.StoreProvider\n```")
                .contains("give `tcp://127.0.0.1:3335` in both places, and `-m store`");
        assertThat(folder.has("zoid-processor")).as("run mvn verify").isTrue();
        List<HowToFolder.Block> blocks = HowToFolder.blocks(page);
        for (HowToFolder.Block block : blocks) {
            folder.write(block);
        }
        folder.write(new HowToFolder.Block("", SERVICES, "demo.StoreProvider\n"));
        String address = method.equals("zoid") ? "zoid://" : "tcp://127.0.0.1:" + FreePort.find();
        List<String> commands =
                blocks.stream()
                        .filter(block -> block.language().equals("sh"))
                        .flatMap(block -> block.text().lines())
                        .filter(line -> !line.equals("JBMI_DIR=/path/to/jbmi"))
                        .map(line -> line.replace("zoid://", address))
                        .map(line -> method.equals("tcp") ? line.replace("unix:", "") : line)
                        .map(line -> line.replace(SCRIPT, program()))
                        .toList();
        assertThat(commands).hasSize(3);

        Process build = folder.start(commands.get(0));
        HowToFolder.succeeds(build, commands.get(0) + HowToFolder.rest(build.inputReader()));
        Process server = folder.start(commands.get(1));
        try {
            assertThat(server.inputReader().readLine()).isEqualTo("ready " + address);
            Process client = folder.start(commands.get(2));
            List<String> printed = HowToFolder.rest(client.inputReader());
            HowToFolder.succeeds(client, commands.get(2));
            assertThat(printed).hasSize(1);
            assertThat(page).contains("The client prints `" + printed.getFirst() + "`.");
            server.destroy();
            HowToFolder.succeeds(server, commands.get(1));
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    private static String program() {
        return "java --enable-native-access=ALL-UNNAMED -cp '"
                + System.getProperty("java.class.path")
                + "':target/classes "
                + ZoidMain.class.getName()
                + " serve";
    }
}

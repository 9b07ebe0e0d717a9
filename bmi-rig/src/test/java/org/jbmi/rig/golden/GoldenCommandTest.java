package org.jbmi.rig.golden;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.golden.Recording;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** The replay of recordings, as a user runs it. */
@Timeout(120)
class GoldenCommandTest {
    @TempDir private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int bmi(String... args) {
        CommandLine command = Program.of(new BmiMain());
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        return command.execute(args);
    }

    @Test
    void aFolderThatIsNotThereIsToldInASentence() {
        assertThat(bmi("golden", "/does/not/exist")).isBetween(1, 2);
        assertThat(err.toString()).isNotBlank().doesNotContain("\tat ");
    }

    @Test
    void folderWithoutRecordings() {
        assertThat(bmi("golden", folder.toString(), "--json")).isEqualTo(1);
        assertThat(out.toString().strip()).isEqualTo("{\"files\":0,\"passed\":0,\"failed\":[]}");
        assertThat(err.toString()).contains("no recording");
    }

    @Test
    void replaysAFolder() throws Exception {
        copy("unexpected_c7_100.json");
        copy("ofs_expected_s2c_100.json");
        assertThat(bmi("golden", folder.toString())).isZero();
        assertThat(out.toString().lines().toList().getLast())
                .isEqualTo("{\"files\":2,\"passed\":2,\"failed\":[]}");
    }

    @Test
    void namesWhatFailed() throws Exception {
        copy("unexpected_c0_1.json");
        String text = Files.readString(folder.resolve("unexpected_c0_1.json"));
        Files.writeString(folder.resolve("wrong.json"), text.replace("\"c8ca", "\"c8cb"));
        Files.writeString(folder.resolve("none.json"), "[1, 2");
        assertThat(bmi("golden", folder.toString(), "--json")).isEqualTo(1);
        assertThat(out.toString().strip())
                .isEqualTo("{\"files\":3,\"passed\":1,\"failed\":[\"none.json\",\"wrong.json\"]}");
    }

    private void copy(String name) throws Exception {
        String path = "/org/jbmi/testsuite/golden/" + name;
        try (InputStream in = Recording.class.getResourceAsStream(path)) {
            assertThat(in).isNotNull();
            Files.copy(in, folder.resolve(name));
        }
    }
}

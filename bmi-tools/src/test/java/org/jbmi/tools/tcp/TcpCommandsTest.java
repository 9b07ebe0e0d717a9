package org.jbmi.tools.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.golden.Recording;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.ProgramRun;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The echo and the replay, as a user runs them. */
@Timeout(120)
class TcpCommandsTest {
    @TempDir private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int bmi(String... args) {
        CommandLine command = Program.of(new BmiMain());
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        return command.execute(args);
    }

    @ParameterizedTest
    @ValueSource(strings = {"standalone", "orangefs"})
    void pingsAServer(String dialect) throws Exception {
        ProgramRun server =
                ProgramRun.start(
                        BmiMain.class,
                        List.of(),
                        "serve",
                        "tcp://127.0.0.1:0",
                        "--dialect",
                        dialect);
        try {
            String address = server.awaitLine(line -> line.startsWith("tcp://"));
            assertThat(address).doesNotEndWith(":0");
            String[] to = {"ping", address, "--dialect", dialect, "--count", "3"};
            assertThat(bmi(to)).as(err.toString()).isZero();
            assertThat(bmi(with(to, "--bytes", "16384"))).as(err.toString()).isZero();
            assertThat(bmi(with(to, "--bytes", "0"))).as(err.toString()).isZero();
            String[] large = with(to, "--bytes", "3000000", "--expected");
            assertThat(bmi(large)).as(err.toString()).isZero();
            assertThat(bmi(with(to, "--bytes", "16385"))).isEqualTo(1);
            assertThat(out.toString()).contains("3 sent, 3 came back");
        } finally {
            server.process().destroy();
            server.awaitEnd();
        }
    }

    private static String[] with(String[] args, String... more) {
        String[] all = Arrays.copyOf(args, args.length + more.length);
        System.arraycopy(more, 0, all, args.length, more.length);
        return all;
    }

    @Test
    void nobodyThere() {
        assertThat(bmi("ping", "tcp://127.0.0.1:1")).isEqualTo(1);
        assertThat(err.toString()).contains("BMI_ECONNREFUSED");
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

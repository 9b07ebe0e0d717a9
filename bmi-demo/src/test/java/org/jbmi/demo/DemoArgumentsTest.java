package org.jbmi.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;

/** What the demo says of its arguments, before it starts anything. */
class DemoArgumentsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String line) {
        CommandLine command =
                Program.of(new BmiMain()).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        return command.execute(line.substring("bmi ".length()).split(" "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bmi demo --help", "bmi demo /none --help"})
    void helpGoesToStandardOutput(String line) {
        assertThat(run(line)).isZero();
        assertThat(out.toString()).startsWith("Usage: bmi demo");
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bmi demo --clients banana",
                "bmi demo --clients 0",
                "bmi demo --clients -3",
                "bmi demo --clients 65",
                "bmi demo --clients",
                "bmi demo --bytes -1",
                "bmi demo --bytes 1t",
                "bmi demo --through air",
                "bmi demo --through direct /no/such/file",
                "bmi demo --channel pigeon",
                "bmi demo one two"
            })
    void wrongUseIsOneLineAndTheUsage(String line) {
        assertThat(run(line)).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        String[] lines = err.toString().split("\\R");
        assertThat(lines[0]).startsWith("bmi demo").endsWith(".");
        assertThat(lines[1]).startsWith("Usage: bmi demo");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bmi demo /no/such/file", "bmi demo --through embedded /no/such/file"})
    void aMissingFileIsASentence(String line) {
        assertThat(run(line)).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("bmi demo: There is no file /no/such/file.\n");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aDirectoryIsASentence(@TempDir Path directory) {
        assertThat(run("bmi demo " + directory)).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo(
                        "bmi demo: " + directory + " is a directory; the demo ships one file.\n");
    }

    @Test
    void aDeviceIsASentence() {
        assertThat(run("bmi demo /dev/null")).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("bmi demo: /dev/null is not a regular file.\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bmi demo --verbose /no/file", "bmi --verbose demo /no/file"})
    void verboseAddsTheStackTrace(String line) {
        assertThat(run(line)).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("bmi demo: There is no file /no/file.\n")
                .contains("ToolException")
                .contains("\tat org.jbmi.demo.");
    }
}

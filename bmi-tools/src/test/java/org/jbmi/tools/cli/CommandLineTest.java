package org.jbmi.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tools.BmiMain;
import org.jbmi.tools.ZbmiMain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;

/**
 * What needs no process of its own: help, versions, wrong arguments, failures before anything
 * starts.
 */
class CommandLineTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String line) {
        String[] words = line.strip().split("\\s+");
        Object top = words[0].equals("bmi") ? new BmiMain() : new ZbmiMain();
        CommandLine command =
                Program.of(top).setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        String[] args = new String[words.length - 1];
        System.arraycopy(words, 1, args, 0, args.length);
        return command.execute(args);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bmi --help",
                "bmi -h",
                "bmi demo --help",
                "bmi info --help",
                "bmi demo /none --help",
                "zbmi --help"
            })
    void helpGoesToStandardOutput(String line) {
        assertThat(run(line)).isZero();
        assertThat(out.toString()).startsWith("Usage: " + line.split(" ")[0]);
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"bmi --version", "bmi -V", "bmi demo --version", "bmi info -V", "zbmi -V"})
    void theVersionGoesToStandardOutput(String line) {
        assertThat(run(line)).isZero();
        assertThat(out.toString())
                .matches(line.split(" ")[0] + " \\d+\\.\\d+\\.\\d+\\S* on Java \\d+\\R");
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bmi",
                "bmi fly",
                "bmi --fly",
                "bmi demo --clients banana",
                "bmi demo --clients 0",
                "bmi demo --clients -3",
                "bmi demo --clients 65",
                "bmi demo --clients",
                "bmi demo --bytes -1",
                "bmi demo --bytes 1t",
                "bmi demo --through air",
                "bmi demo one two",
                "bmi info extra",
                "zbmi",
                "zbmi fly"
            })
    void wrongUseIsOneLineAndTheUsage(String line) {
        assertThat(run(line)).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        String[] lines = err.toString().split("\\R");
        String command = line.startsWith("bmi demo") ? "bmi demo" : line.split(" ")[0];
        assertThat(lines[0]).startsWith(command).endsWith(".");
        assertThat(lines[1]).startsWith("Usage: " + command);
    }

    @Test
    void aMissingFileIsASentence() {
        assertThat(run("bmi demo /no/such/file")).isEqualTo(1);
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
                .contains("\tat org.jbmi.tools.demo.");
    }
}

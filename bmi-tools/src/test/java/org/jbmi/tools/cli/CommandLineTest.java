package org.jbmi.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tools.BmiMain;
import org.jbmi.tools.ZbmiMain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;

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
            strings = {"bmi --help", "bmi -h", "bmi info --help", "bmi ping --help", "zbmi --help"})
    void helpGoesToStandardOutput(String line) {
        assertThat(run(line)).isZero();
        assertThat(out.toString()).startsWith("Usage: " + line.split(" ")[0]);
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"bmi --version", "bmi -V", "bmi ping --version", "bmi info -V", "zbmi -V"})
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
                "bmi ping --count banana",
                "bmi ping --count",
                "bmi ping one two",
                "bmi ping zoid",
                "bmi ping tcp://127.0.0.1:99999",
                "bmi ping --bytes 20000 tcp://127.0.0.1:1",
                "bmi serve tcp",
                "bmi serve loopback://echo",
                "bmi serve tcp://127.0.0.1:70000",
                "bmi serve tcp://127.0.0.1:x",
                "bmi ops tcp",
                "bmi ops --knob a tcp://127.0.0.1:1",
                "bmi ops --knob a=b tcp://127.0.0.1:1",
                "bmi ops --knob shipper.a=b tcp://127.0.0.1:1",
                "zbmi serve --channel pigeon",
                "bmi info extra",
                "zbmi",
                "zbmi fly"
            })
    void wrongUseIsOneLineAndTheUsage(String line) {
        assertThat(run(line)).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        String[] lines = err.toString().split("\\R");
        String command = line.startsWith("bmi ping") ? "bmi ping" : line.split(" ")[0];
        assertThat(lines[0]).startsWith(command).endsWith(".");
        assertThat(lines[1]).startsWith("Usage: " + command);
    }

    @Test
    void aCommandOfAModuleThatIsNotThereSaysWhereItIs() {
        assertThat(run("bmi perf tcp --pattern rpc")).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo(
                        "bmi perf: This command is in the module bmi-rig, which is not on the"
                                + " class path.\n");
        assertThat(out.toString()).isEmpty();
        assertThat(run("bmi --help")).isZero();
        assertThat(out.toString()).containsPattern("demo +Is in the module bmi-demo\\.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bmi ping --verbose tcp://127.0.0.1:1",
                "bmi --verbose ping tcp://127.0.0.1:1"
            })
    void verboseAddsTheStackTrace(String line) {
        assertThat(run(line)).isEqualTo(1);
        assertThat(err.toString()).startsWith("bmi ping: ").contains("\tat org.jbmi.tools.tcp.");
    }
}

package org.jbmi.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.tools.BmiMain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What all commands of a program share. */
@Timeout(60)
class ProgramTest {
    /** Prints when its input ends; its status says whether it hears that nobody reads. */
    static final class Printer {
        private Printer() {}

        public static void main(String[] args) throws IOException {
            PrintWriter out =
                    Program.of(new BmiMain()).getSubcommands().values().iterator().next().getOut();
            System.in.read();
            out.println("Does anybody read this?");
            System.exit(out.checkError() ? 0 : 1);
        }
    }

    // A command that prints until it is ended would go on for ever behind "| head".
    @Test
    void aCommandHearsThatNobodyReadsItsOutput() throws Exception {
        Process process =
                new ProcessBuilder(ChildJvm.command(Printer.class, List.of()))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            process.getInputStream().close();
            process.getOutputStream().close();
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void outputThatTheDeviceDoesNotTakeIsAFailure() throws Exception {
        File full = new File("/dev/full");
        assumeTrue(full.exists());
        Process process = version().redirectOutput(full).start();
        try {
            byte[] err = process.getErrorStream().readAllBytes();
            assertThat(process.waitFor()).isOne();
            assertThat(new String(err, StandardCharsets.UTF_8)).startsWith("bmi: Not all output");
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void outputThatNobodyReadsIsNoFailure() throws Exception {
        Process process = version().start();
        try {
            process.getInputStream().close();
            assertThat(process.getErrorStream().readAllBytes()).isEmpty();
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Scripts read them. */
    @Test
    void numbersHaveTheSameDigitsInEveryLanguage() {
        Locale before = Locale.getDefault(Locale.Category.FORMAT);
        Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            assertThat("%d".formatted(5)).isEqualTo("\u0665");
            assertThat(Program.run(new BmiMain(), new String[] {"--version"})).isZero();
            assertThat("%d".formatted(5)).isEqualTo("5");
        } finally {
            Locale.setDefault(Locale.Category.FORMAT, before);
        }
    }

    private static ProcessBuilder version() {
        List<String> command = new ArrayList<>(ChildJvm.command(BmiMain.class, List.of()));
        command.add("--version");
        return new ProcessBuilder(command);
    }
}

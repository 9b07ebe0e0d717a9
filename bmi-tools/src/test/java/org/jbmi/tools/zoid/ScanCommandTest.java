package org.jbmi.tools.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tools.ZoidMain;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

class ScanCommandTest {
    private static final String HEADER =
            """
            /* START-ZOID-SCANNER ID=77 INIT=NULL FINI=NULL PROC=NULL */
            int clock_set(long seconds /* in:obj */);
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir private Path folder;

    @Test
    void theInterfaceGoesToStandardOutput() throws IOException {
        assertThat(scan(header(HEADER).toString(), "--package", "my.clock")).isZero();
        assertThat(out.toString())
                .startsWith("package my.clock;\n")
                .contains("@ZoidPlugin(id = 77, name = \"clock\")")
                .contains("int set(long seconds);");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void theInterfaceGoesToAFile() throws IOException {
        Path file = folder.resolve("Clock.java");
        assertThat(scan(header(HEADER).toString(), "-o", file.toString())).isZero();
        assertThat(Files.readString(file)).contains("public interface Clock");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void whatCannotBeReadIsNamedWithItsLineAndNothingIsWritten() throws IOException {
        Path header = header(HEADER + "char *clock_get(void);\nint clock_x(int a, ...);\n");
        Path file = folder.resolve("Clock.java");
        assertThat(scan(header.toString(), "-o", file.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith(header + ":3: "),
                        line -> assertThat(line).startsWith(header + ":4: "));
        assertThat(file).doesNotExist();
    }

    @Test
    void aFileThatIsNotThereIsSaid() {
        assertThat(scan(folder.resolve("none.h").toString())).isEqualTo(1);
        assertThat(err.toString()).contains("There is no file");
    }

    @Test
    void aWrongPackageIsWrongUse() throws IOException {
        assertThat(scan(header(HEADER).toString(), "--package", "a-b")).isEqualTo(2);
        assertThat(err.toString()).contains("'a-b' is not the name of a package");
    }

    private Path header(String text) throws IOException {
        return Files.writeString(folder.resolve("clock.h"), text);
    }

    private int scan(String... args) {
        CommandLine command = Program.of(new ZoidMain());
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        String[] all = new String[args.length + 1];
        all[0] = "scan";
        System.arraycopy(args, 0, all, 1, args.length);
        return command.execute(all);
    }
}

package org.jbmi.tools.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tools.ZoidMain;
import org.jbmi.tools.cli.Program;
import org.jbmi.zoid.daemon.ZoidConfiguration;
import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.forward.PluginProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What is typed wrongly is named, with status 2; what is typed rightly means what it says. */
class ZoidArgumentsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir private Path folder;

    private int zoid(String... args) {
        CommandLine command = Program.of(new ZoidMain());
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        return command.execute(args);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    ""                                   | zoid: A command is needed.
                    nonsense                             | There is no command 'nonsense'.
                    serve -b 10                          | A buffer has 256 to 33554432 bytes, and not 10.
                    serve -b 1:2:3                       | -b is small or small:large, in bytes, and not '1:2:3'.
                    serve -b 4k                          | -b has numbers from 0
                    serve -b 8192:4096                   | The large buffer is smaller than the small one.
                    serve -a=-1                          | -a has numbers from 0 to
                    serve -a x                           | -a has numbers from 0 to
                    serve -m :                           | -m names plug-ins, separated by colons, and not ':'.
                    serve --live --set unix.root=. --set no.such=1 tcp://127.0.0.1:0 | No plug-in has a setting 'no.such'.
                    serve -m mapping --set mapping.sizes=8x tcp://127.0.0.1:0 | mapping.sizes
                    serve -m zoidfs --set zoidfs.server=nowhere tcp://127.0.0.1:0 | zoidfs.server is not an address
                    serve --set x                        | --set takes NAME=VALUE, not x.
                    serve --knob zoid                    | --knob takes NAME=VALUE, not zoid.
                    serve --knob no.such=1               | no.such
                    serve loopback://x                   | loopback does not leave its process
                    serve nonsense://x                   | nonsense
                    serve zoid://elsewhere               | zoid://
                    serve tcp://127.0.0.1:0              | --set unix.root=DIR
                    serve tcp-rack://127.0.0.1:0         | --set unix.root=DIR
                    serve loopback-x://y                 | loopback does not leave its process
                    serve -m test tcp://127.0.0.1:0 zoid:// tcp-rack://127.0.0.1:0 | Port 0 is for a single tcp address
                    serve --live -m test tcp://127.0.0.1:0 | --set unix.root=DIR
                    serve --file= zoid://                | '--file'
                    scan --output= x.h                   | '--output'
                    serve --port 7                       | Unknown option: '--port'
                    run -- true                          | Missing required option: '--ranks=RANKS'
                    run -n 2                             | PROGRAM
                    run -n 2 ls -l                       | '-l'; options of the program come after '--'.
                    run -n 99999999999 true              | '99999999999' is too long a number.
                    run -n 0 -- true                     | RANKS is 1 to 4096, not 0.
                    run -n 5000 -- true                  | RANKS is 1 to 4096, not 5000.
                    run -n many -- true                  | 'many' is not a whole number.
                    run -n 2 --mode FAST -- true         | expected one of [SMP, VN, DUAL]
                    run -n 2 -x NAME -- true             | --env takes NAME=VALUE, not NAME.
                    run -n 2 --receive /etc/passwd -- true | --receive takes a folder, not /etc/passwd.
                    run -n 2 --at nowhere -- true        | --at: The address "nowhere" has no scheme
                    run -n 2 --at loopback://x -- true   | loopback does not leave its process
                    stat 0                               | SECONDS is 1 or more, not 0.
                    stat soon                            | 'soon' is not a whole number.
                    stat --at nowhere                    | --at: The address "nowhere" has no scheme
                    stat --at http://x                   | zoid stat: --at: There is no method "http"; there are loopback, tcp, zoid.
                    stat --at tcp://                     | --at: A tcp address is tcp://HOST:PORT, not "tcp://": the host is missing
                    stat --knob zoid.host=nobody         | zoid.host (set by --knob)
                    modules --from /x.jar                | --from and --set are for --load.
                    modules --set a=b                    | --from and --set are for --load.
                    modules --load x --set y             | --set takes NAME=VALUE, not y.
                    modules --load                       | '--load' (NAME)
                    modules x                            | 'x' is one word too many.
                    f2cn                                 | INPUT
                    f2cn /input                          | OUTPUT
                    f2cn input /output                   | Both paths must be absolute.
                    f2cn /input output                   | Both paths must be absolute.
                    f2cn /a /b /c                        | '/c' is one word too many.
                    tun --name averyveryverylongname     | is not the name of an interface: 1 to 15 letters
                    scan                                 | HEADER
                    scan a.h b.h                         | 'b.h' is one word too many.
                    scan --package a-b x.h               | 'a-b' is not the name of a package.
                    scan --package a.int x.h             | 'a.int' is not the name of a package.
                    """)
    void whatIsTypedWronglyIsNamed(String line, String sentence) {
        assertThat(zoid(line.isEmpty() ? new String[0] : line.split(" "))).as(line).isEqualTo(2);
        assertThat(err.toString().lines().findFirst().orElseThrow())
                .startsWith("zoid")
                .contains(sentence);
        assertThat(err.toString()).contains("Usage: zoid");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void filesThatCannotBeReadOrWrittenAreNamed() throws Exception {
        assertThat(zoid("serve", "-f", "/no/such/file")).isOne();
        assertThat(err.toString()).contains("/no/such/file");
        assertThat(zoid("scan", folder.toString())).isOne();
        assertThat(err.toString()).contains("The header " + folder + " cannot be read.");
        Path header =
                Files.writeString(
                        folder.resolve("x.h"), "/* START-ZOID-SCANNER ID=7 */\nint x_f(int a);\n");
        assertThat(zoid("scan", "-o", "/no/such/X.java", header.toString())).isOne();
        assertThat(err.toString()).contains("The file /no/such/X.java cannot be written.");
        assertThat(out.toString()).isEmpty();
    }

    /** A plug-in is broken whatever the command line says. */
    @Test
    @Timeout(60)
    void aPluginThatIsNotThereIsNoWrongCommandLine() throws Exception {
        Path list = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(list.resolve(PluginProvider.class.getName()), "demo.Gone");
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        try (URLClassLoader broken = new URLClassLoader(new URL[] {folder.toUri().toURL()}, own)) {
            thread.setContextClassLoader(broken);
            assertThat(zoid("serve", "--set", "unix.root=" + folder, "tcp://127.0.0.1:0")).isOne();
        } finally {
            thread.setContextClassLoader(own);
        }
        assertThat(err.toString().lines()).singleElement().asString().contains("demo.Gone");
    }

    /** Also if there is such a file, whose words picocli would put in its place. */
    @Test
    void aWordOfAProgramThatBeginsWithAnAtIsPassedOn() throws Exception {
        String word = "@" + Files.writeString(folder.resolve("args"), "--mode DUAL other");
        CommandLine.ParseResult run =
                Program.of(new ZoidMain()).parseArgs("run", "-n", "1", "--", "echo", word);
        List<String> program = run.subcommand().matchedPositional(0).getValue();
        assertThat(program).containsExactly("echo", word);
    }

    /** As the original's daemon takes both. */
    @Test
    void optionsAndTheFileMeanTheSame() throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("zoid"),
                        """
                        ZOID_BUFFER_SIZE=8192:1048576
                        ZOID_ACK_THRESHOLD=8
                        ZOID_MODULES="unix_impl.so:unix_preload.so:test"
                        ZOID_ENABLE_NAT=1
                        ZOID_USER_SCRIPT=/usr/lib/zoid/script
                        ZOID_LIVE_MODULES=1
                        ZOID_SETTINGS=unix.root=/data
                        """);
        ZoidSettings ofFile = settings("-f", file.toString());
        ZoidSettings ofOptions =
                settings(
                        "-b",
                        "8192:1048576",
                        "-a",
                        "8",
                        "-m",
                        "unix:test",
                        "-n",
                        "-u",
                        "/usr/lib/zoid/script",
                        "--live",
                        "--set",
                        "unix.root=/data");
        assertThat(ofOptions).isEqualTo(ofFile);
        assertThat(ofFile.modules()).containsExactly("unix", "test");
        assertThat(ofFile.thresholdBytes()).isEqualTo(1920);
        assertThat(settings("-f", file.toString(), "-a", "0").thresholdBytes()).isZero();
    }

    /** The script in the home of the user, if there is one that can be executed. */
    @Test
    void theUsualScriptIsTheOneInTheHome() throws Exception {
        assertThat(ZoidConfiguration.settings(Map.of(), folder).userScript()).isNull();
        Path script = Files.writeString(folder.resolve("zoid-user-script.sh"), "#!/bin/sh\n");
        assertThat(ZoidConfiguration.settings(Map.of(), folder).userScript()).isNull();
        assertThat(script.toFile().setExecutable(true)).isTrue();
        assertThat(ZoidConfiguration.settings(Map.of(), folder).userScript())
                .isEqualTo(script.toString());
    }

    private static ZoidSettings settings(String... args) throws Exception {
        ServeCommand command = new ServeCommand();
        new CommandLine(command).parseArgs(args);
        return command.wanted();
    }
}

package org.jbmi.tools;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * When {@code bin/bmi} builds, and which jars it runs, with the real script on a checkout of files.
 */
@Timeout(60)
class LauncherTest {
    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");
    private static final Path SCRIPTS = Path.of("../bin/lib");
    private static final String LIST =
            "bmi-tools/src/main/resources/org/jbmi/tools/cli/further-commands.txt";

    @TempDir Path directory;

    private Path checkout;
    private Path library;

    @BeforeEach
    void buildACheckout() throws IOException {
        checkout = directory.resolve("first place");
        library = old(directory.resolve("repository/lib.jar"));
        old(checkout.resolve("pom.xml"));
        old(checkout.resolve(LIST));
        Files.copy(Path.of("..").resolve(LIST), checkout.resolve(LIST), REPLACE_EXISTING);
        Files.setLastModifiedTime(checkout.resolve(LIST), FileTime.from(LONG_AGO));
        for (String module : new String[] {"bmi-api", "bmi-tools"}) {
            old(checkout.resolve(module + "/pom.xml"));
            old(checkout.resolve(module + "/src/main/A.java"));
            Files.setLastModifiedTime(
                    checkout.resolve(module + "/src/main"), FileTime.from(LONG_AGO));
            jar(checkout, module);
        }
        needs("bmi-tools", jar(checkout, "bmi-api") + ":" + library);
    }

    /** What Maven wrote down of a module. */
    private void needs(String module, String classPath) throws IOException {
        Path file = checkout.resolve(module + "/target/launch/class-path");
        Files.createDirectories(file.getParent());
        Files.writeString(file, classPath);
    }

    private static Path old(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "");
        return Files.setLastModifiedTime(file, FileTime.from(LONG_AGO));
    }

    private static void touch(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(5)));
    }

    private static Path jar(Path root, String module) throws IOException {
        Path jar = root.resolve(module + "/target/" + module + "-1.2.jar");
        Files.createDirectories(jar.getParent());
        return Files.writeString(jar, "");
    }

    /** What a start would run, or {@code stale} if it would build first. */
    private String classPath(Path root, String... words) throws Exception {
        return shell(
                root,
                "bmi",
                "launch_paths; if is_built; then echo \"$class_path\"; else echo stale; fi",
                words);
    }

    private static String shell(Path root, String program, String line, String... words)
            throws Exception {
        String script = ". '%1$s/common.sh'; . '%1$s/launch.sh'; choose_parts \"$@\"; %2$s";
        List<String> command = new ArrayList<>();
        command.addAll(List.of("sh", "-u", "-c", script.formatted(SCRIPTS.toRealPath(), line)));
        command.add(program);
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("root", root.toString());
        builder.environment().put("program", program);
        Process shell = builder.redirectErrorStream(true).start();
        try {
            String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(shell.waitFor(20, TimeUnit.SECONDS)).isTrue();
            return said.strip();
        } finally {
            shell.destroyForcibly();
        }
    }

    @Test
    void whatMavenHasBuiltIsNotBuiltAgain() throws Exception {
        assertThat(classPath(checkout, "info"))
                .isEqualTo(
                        jar(checkout, "bmi-tools")
                                + ":"
                                + jar(checkout, "bmi-api")
                                + ":"
                                + library);
    }

    @Test
    void aCopyRunsItsOwnJars() throws Exception {
        Path copy = Files.move(checkout, directory.resolve("second place"));
        Path foreign = jar(checkout, "bmi-api"); // the first one goes on, and is built again

        assertThat(classPath(copy, "info"))
                .contains(copy.resolve("bmi-api").toString())
                .contains(library.toString())
                .doesNotContain(foreign.toString());
    }

    @Test
    void aFolderWithAColonIsRefused() throws Exception {
        Path copy = Files.move(checkout, directory.resolve("second:place"));
        assertThat(classPath(copy, "info"))
                .isEqualTo("bmi: The path of the jbmi folder may have no colon: " + copy);
    }

    @Test
    void aChangedModuleIsBuilt() throws Exception {
        touch(checkout.resolve("bmi-api/src/main/A.java"));
        assertThat(classPath(checkout, "info")).isEqualTo("stale");
    }

    @Test
    void aMissingJarIsBuilt() throws Exception {
        Files.delete(jar(checkout, "bmi-api"));

        assertThat(classPath(checkout, "info")).isEqualTo("stale");
    }

    @Test
    void aCommandOfAnotherModuleIsBuiltWhenItIsAskedFor() throws Exception {
        assertThat(classPath(checkout, "demo")).isEqualTo("stale");

        Path own = jar(checkout, "bmi-demo");
        Path more = old(directory.resolve("repository/more.jar"));
        needs("bmi-demo", more + ":" + library + ":" + jar(checkout, "bmi-api"));
        String tools = classPath(checkout, "info");
        assertThat(classPath(checkout, "demo")).isEqualTo(tools + ":" + own + ":" + more);
        assertThat(classPath(checkout, "--help")).as("needs the rig, too").isEqualTo("stale");
    }

    /** Such as one of another user, who has a cache for another JDK. */
    @Test
    void aCheckoutThatCannotBeWrittenIsRunAsItIs() throws Exception {
        Path java = Files.createDirectories(directory.resolve("jdk/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho runs \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Path launch = checkout.resolve("bmi-tools/target/launch");
        Files.writeString(launch.resolve("aot-cache"), "of another JDK");
        Files.createDirectory(launch.resolve("lock")); // not even root can write a folder
        String line = "jdk='%s'; launch Main info".formatted(directory.resolve("jdk"));
        assertThat(shell(checkout, "bmi", line, "info"))
                .startsWith("runs ")
                .endsWith(" -cp " + classPath(checkout, "info") + " Main info")
                .doesNotContain("AOTCache");
        touch(checkout.resolve("bmi-api/src/main/A.java"));
        assertThat(shell(checkout, "bmi", line, "info"))
                .isEqualTo(
                        "bmi: The jars must be built, but this user may not write "
                                + launch.resolve("lock")
                                + ".");
    }

    /** Such as a jar in the home folder of the user who has built, where no other user may look. */
    @ParameterizedTest
    @CsvSource({
        "first place/bmi-api/target/bmi-api-1.2.jar",
        "first place/bmi-tools/target/bmi-tools-1.2.jar",
        "first place/bmi-tools/target/launch/class-path",
        "repository/lib.jar"
    })
    void whoMayNotBuildIsToldWhichFileIsMissing(String name) throws Exception {
        Path file = directory.resolve(name);
        Files.delete(file);
        Path lock = Files.createDirectory(checkout.resolve("bmi-tools/target/launch/lock"));
        assertThat(shell(checkout, "bmi", "launch Main info", "info"))
                .isEqualTo(
                        "bmi: The jars must be built, since %s is not there or may not be read,"
                                        .formatted(file)
                                + " but this user may not write %s.".formatted(lock));
    }

    /** The plug-in unix reads the system's messages; the names of files stay what they are. */
    @ParameterizedTest
    @CsvSource({
        "zoid, serve, de_DE.UTF-8, none de_DE.UTF-8 de_DE.UTF-8 C",
        "zoid, serve, '', none xx yy C",
        "zoid, run, de_DE.UTF-8, de_DE.UTF-8 xx yy zz",
        "zoidfs, serve, '', none xx yy zz"
    })
    void aServerOfCallForwardingHasEnglishMessages(
            String program, String words, String all, String expected) throws Exception {
        String line =
                "LC_ALL=%s; LANG=xx; LC_CTYPE=yy; LC_MESSAGES=zz; choose_language; echo"
                        + " ${LC_ALL:-none} $LANG $LC_CTYPE $LC_MESSAGES";
        assertThat(shell(checkout, program, line.formatted(all), words)).isEqualTo(expected);
    }

    /** For what only prints; a measurement of minutes must not run in it. */
    @ParameterizedTest
    @CsvSource({
        "bmi, '', true",
        "bmi, info, true",
        "bmi, --verbose info --json, true",
        "bmi, perf --help, true",
        "bmi, -V, true",
        "bmi, perf tcp --keep info, false",
        "zoid, run -- prog -h host, false",
        "zoid, run -h, true",
        "zoidfs, cp info there, false"
    })
    void onlyWhatPrintsHasTheQuickCompilerAlone(String program, String words, boolean expected)
            throws Exception {
        String[] args = words.isEmpty() ? new String[0] : words.split(" ");
        String line = "choose_compiler \"$@\"; echo \"$JAVA_OPTIONS\"";
        boolean isQuick = shell(checkout, program, line, args).endsWith(" -XX:TieredStopAtLevel=1");
        assertThat(isQuick).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "bmi, info, bmi-tools",
        "bmi, -V, bmi-tools",
        "bmi, '', bmi-tools bmi-rig bmi-demo",
        "bmi, --help, bmi-tools bmi-rig bmi-demo",
        "bmi, demo --through embedded, bmi-tools bmi-demo",
        "bmi, --verbose conform tcp, bmi-tools bmi-rig",
        "bmi, perf tcp --versus raw-tcp, bmi-tools bmi-rig",
        "bmi, perf --table zoid, bmi-tools bmi-rig bmi-benchmarks",
        "bmi, perf --versus=aeron, bmi-tools bmi-rig bmi-benchmarks",
        "bmi, perf zoid --channel chronicle, bmi-tools bmi-rig zbmi-channel-chronicle",
        "bmi, perf zoid --knob=zbmi.journal=/j, bmi-tools bmi-rig zbmi-channel-chronicle",
        "bmi, serve tcp://127.0.0.1:0, bmi-tools",
        "bmi, doctor --json, bmi-tools zbmi-channel-chronicle",
        "zbmi, serve, bmi-tools zbmi-channel-chronicle",
        "zbmi, stat, bmi-tools",
        "zoid, serve, bmi-tools zbmi-channel-chronicle",
        "zoidfs, ls, bmi-tools",
        "zoidfs, perf, bmi-tools bmi-rig"
    })
    void aCommandGetsTheModulesThatItNeeds(String program, String words, String modules)
            throws Exception {
        String[] args = words.isEmpty() ? new String[0] : words.split(" ");
        assertThat(shell(checkout, program, "echo \"$parts\"", args)).isEqualTo(modules);
    }
}

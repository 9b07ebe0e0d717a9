package org.jbmi.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * When {@code bin/bmi} builds, and which jars it runs, with the real script on a checkout of files.
 */
@Timeout(60)
class LauncherTest {
    private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");
    private static final Path SCRIPTS = Path.of("../bin/lib");

    @TempDir Path directory;

    private Path checkout;
    private Path library;

    @BeforeEach
    void buildACheckout() throws IOException {
        checkout = directory.resolve("first place");
        library = old(directory.resolve("repository/lib.jar"));
        old(checkout.resolve("pom.xml"));
        for (String module : new String[] {"bmi-api", "bmi-tools"}) {
            old(checkout.resolve(module + "/pom.xml"));
            old(checkout.resolve(module + "/src/main/A.java"));
            Files.setLastModifiedTime(
                    checkout.resolve(module + "/src/main"), FileTime.from(LONG_AGO));
            jar(checkout, module);
        }
        Path classPath = checkout.resolve("bmi-tools/target/launch/class-path");
        Files.createDirectories(classPath.getParent());
        Files.writeString(classPath, jar(checkout, "bmi-api") + ":" + library);
    }

    private static Path old(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "");
        return Files.setLastModifiedTime(file, FileTime.from(LONG_AGO));
    }

    private static Path jar(Path root, String module) throws IOException {
        Path jar = root.resolve(module + "/target/" + module + "-1.2.jar");
        Files.createDirectories(jar.getParent());
        return Files.writeString(jar, "");
    }

    /** What a start would run, or {@code stale} if it would build first. */
    private String classPath(Path root) throws Exception {
        String script =
                ". '%1$s/common.sh'; . '%1$s/launch.sh'; launch_paths;"
                        + " if is_built; then echo \"$class_path\"; else echo stale; fi";
        ProcessBuilder builder =
                new ProcessBuilder("sh", "-u", "-c", script.formatted(SCRIPTS.toRealPath()));
        builder.environment().put("root", root.toString());
        builder.environment().put("program", "test");
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
        assertThat(classPath(checkout))
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

        assertThat(classPath(copy))
                .contains(copy.resolve("bmi-api").toString())
                .contains(library.toString())
                .doesNotContain(foreign.toString());
    }

    @Test
    void aChangedModuleIsBuilt() throws Exception {
        Files.writeString(checkout.resolve("bmi-api/src/main/A.java"), "class A {}");
        Files.setLastModifiedTime(
                checkout.resolve("bmi-api/src/main/A.java"),
                FileTime.from(Instant.now().plusSeconds(5)));

        assertThat(classPath(checkout)).isEqualTo("stale");
    }

    @Test
    void aMissingJarIsBuilt() throws Exception {
        Files.delete(jar(checkout, "bmi-api"));

        assertThat(classPath(checkout)).isEqualTo("stale");
    }
}

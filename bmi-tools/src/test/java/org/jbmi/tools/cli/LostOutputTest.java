package org.jbmi.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.ZbmiMain;
import org.jbmi.tools.ZoidMain;
import org.jbmi.tools.ZoidfsMain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server whose line of readiness is lost ends by itself, because nobody learns its address. */
@Timeout(200)
class LostOutputTest {
    private static final int LIMIT_SECONDS = 90;

    /** The path of a socket must be short. */
    private Path directory;

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = Files.createTempDirectory("zbmi-test-");
    }

    @AfterEach
    void end() throws IOException {
        Trees.delete(directory);
    }

    private void assertEnds(Class<?> main, String... args) throws Exception {
        File full = new File("/dev/full");
        assumeTrue(full.exists(), "there is no file that takes nothing");
        List<String> options =
                List.of(
                        "-Djbmi.zoid.runtimeDirectory=" + directory.resolve("run"),
                        "-Djbmi.zbmi.segmentDirectory=" + directory,
                        "-Djbmi.zbmi.totalBytes=16m");
        File err = directory.resolve("err").toFile();
        Process server =
                new ProcessBuilder(ChildJvm.command(main, options, args))
                        .redirectOutput(full)
                        .redirectError(err)
                        .start();
        try {
            assertThat(server.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
            assertThat(Files.readString(err.toPath(), StandardCharsets.UTF_8))
                    .contains(" serve: Not all output could be written");
            assertThat(server.exitValue()).isOne();
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    void theDaemonEnds() throws Exception {
        assertEnds(ZbmiMain.class, "serve");
        assertThat(directory.resolve("run/daemon.sock")).doesNotExist();
    }

    @Test
    void aServerOfCallsEnds() throws Exception {
        assertEnds(ZoidMain.class, "serve");
    }

    @Test
    void aServerOfFilesEnds() throws Exception {
        String state = directory.resolve("state").toString();
        assertEnds(
                ZoidfsMain.class,
                "serve",
                "--export",
                directory.toString(),
                "--state",
                state,
                "tcp://127.0.0.1:0");
    }

    @Test
    void anEchoEnds() throws Exception {
        assertEnds(BmiMain.class, "serve", "tcp://127.0.0.1:0");
    }
}

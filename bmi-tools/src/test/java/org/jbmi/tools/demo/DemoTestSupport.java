package org.jbmi.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tools.BmiMain;
import org.jbmi.tools.ProgramRun;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Runs demos as processes of their own and sees that they leave nothing behind. */
abstract class DemoTestSupport {
    /** Where a demo keeps its files; empty after each. */
    @TempDir Path temporary;

    /** Where the files to be shipped lie. */
    @TempDir Path sources;

    private final List<ProgramRun> runs = new ArrayList<>();

    ProgramRun demo(String... args) throws IOException {
        String[] all = new String[args.length + 1];
        all[0] = "demo";
        System.arraycopy(args, 0, all, 1, args.length);
        List<String> options = new ArrayList<>(jvmOptions());
        options.add("-Djava.io.tmpdir=" + temporary);
        ProgramRun run = ProgramRun.start(BmiMain.class, options, all);
        runs.add(run);
        return run;
    }

    List<String> jvmOptions() throws IOException {
        return List.of();
    }

    Path file(int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return Files.write(sources.resolve("file-" + size), bytes);
    }

    @AfterEach
    void nothingIsLeftBehind() throws IOException {
        for (ProgramRun run : runs) {
            List<ProcessHandle> children = run.process().descendants().toList();
            boolean alive = run.process().isAlive();
            run.close();
            assertThat(children).isEmpty();
            assertThat(alive).isFalse();
        }
        assertEmpty(temporary);
    }

    static void assertEmpty(Path directory) throws IOException {
        try (Stream<Path> left = Files.walk(directory)) {
            assertThat(left.filter(path -> !path.equals(directory))).isEmpty();
        }
    }

    static String lastLine(ProgramRun run) {
        assertThat(run.out()).as(run.transcript()).isNotEmpty();
        return run.out().getLast();
    }
}

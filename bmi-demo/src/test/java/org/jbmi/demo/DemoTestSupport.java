package org.jbmi.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.BmiMain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Runs demos as processes of their own and sees that they leave nothing behind. */
abstract class DemoTestSupport {
    /** The size of a file of which no process ships much before the test ends it. */
    static final long LARGE_BYTES = 300_000_001;

    /** Where a demo keeps its files; empty after each. */
    @TempDir Path temporary;

    /** Where the files to be shipped lie. */
    @TempDir Path sources;

    private final List<ProgramRun> runs = new ArrayList<>();

    ProgramRun demo(String... args) throws IOException {
        return demo(List.of(), args);
    }

    ProgramRun demo(List<String> wrapper, String... args) throws IOException {
        return demo(wrapper, temporary, args);
    }

    ProgramRun demo(List<String> wrapper, Path directory, String... args) throws IOException {
        return start(wrapper, List.of("-Djava.io.tmpdir=" + directory), args);
    }

    /** Ships a file of {@link #LARGE_BYTES}. */
    ProgramRun demoOfLargeFile(String... args) throws IOException {
        return demoOfLargeFile(LARGE_BYTES, args);
    }

    /** Ships a large file; without the optimizing compiler its digest alone takes seconds. */
    ProgramRun demoOfLargeFile(long bytes, String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of(largeFile(bytes).toString()));
        all.addAll(List.of(args));
        return start(
                List.of(),
                List.of("-Djava.io.tmpdir=" + temporary, "-XX:TieredStopAtLevel=4"),
                all.toArray(String[]::new));
    }

    private ProgramRun start(List<String> wrapper, List<String> options, String... args)
            throws IOException {
        String[] all = new String[args.length + 1];
        all[0] = "demo";
        System.arraycopy(args, 0, all, 1, args.length);
        List<String> flags = new ArrayList<>(jvmOptions());
        flags.addAll(options);
        ProgramRun run = ProgramRun.start(wrapper, BmiMain.class, flags, all);
        runs.add(run);
        return run;
    }

    /** What the demo's JVM is started with. */
    List<String> jvmOptions() {
        return List.of();
    }

    Path file(int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return Files.write(sources.resolve("file-" + size), bytes);
    }

    /** A file that takes a while to ship and no room on the disk. */
    Path largeFile(long bytes) throws IOException {
        Path large = sources.resolve("sparse");
        try (FileChannel channel =
                FileChannel.open(large, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), bytes - 1);
        }
        return large;
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
        assertThat(contents(directory)).isEmpty();
    }

    static List<Path> contents(Path directory) throws IOException {
        try (Stream<Path> left = Files.list(directory)) {
            return left.toList();
        }
    }

    static String lastLine(ProgramRun run) {
        assertThat(run.out()).as(run.transcript()).isNotEmpty();
        return run.out().getLast();
    }

    static String json(boolean verified, int clients, long bytes) {
        return "\\{\"verified\":"
                + verified
                + ",\"clients\":"
                + clients
                + ",\"bytes\":"
                + bytes
                + ",\"writeMibPerSecond\":\\d+\\.\\d,\"readMibPerSecond\":\\d+\\.\\d}";
    }
}

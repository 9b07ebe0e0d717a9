package org.jbmi.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.UnexpectedMessages;
import org.jbmi.spi.MethodProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Compiles and runs a user's project, in src/test/consumer, against the jars that the build made:
 * no JVM flags, no warnings, and nothing on the path but what the methods themselves need.
 */
@Timeout(120)
class ConsumerIT {

    private static final Path PROJECT = Path.of("src", "test", "consumer").toAbsolutePath();
    private static final Path MAIN = PROJECT.resolve("org/example/consumer/Main.java");
    private static final List<String> MODULES =
            List.of(
                    "bmi-api",
                    "mempool",
                    "bmi-method-loopback",
                    "bmi-method-tcp",
                    "zbmi-protocol",
                    "zbmi-link",
                    "zbmi-engine",
                    "zbmi-host",
                    "bmi-method-zoid");
    private static final List<String> LIBRARIES = List.of("disruptor", "jctools-core", "jspecify");

    private static final Path CLIENT = Path.of("src", "test", "client").toAbsolutePath();
    private static final List<String> CLIENT_MODULES =
            List.of("bmi-api", "mempool", "zbmi-protocol", "zbmi-link", "bmi-method-zoid");
    private static final List<String> CLIENT_LIBRARIES = List.of("jctools-core", "jspecify");
    private static final String NO_ENGINE =
            "server: ENOSYS This server cannot host an engine: add zbmi-host to its path, or set"
                    + " zoid.host=daemon.";
    private static final long WAIT_MS = 20;
    private static final long PROCESS_SECONDS = 50;

    @TempDir private Path work;

    @Test
    void worksOnTheClassPath() throws Exception {
        Path classes = work.resolve("classes");
        String path = String.join(File.pathSeparator, jars());
        jdk("javac", "-Xlint:all", "-Werror", "-d", classes, "-cp", path, MAIN);

        List<String> printed =
                jdk(
                        "java",
                        "-cp",
                        classes + File.pathSeparator + path,
                        "org.example.consumer.Main");

        assertThat(printed).containsExactly("module: null", methods(), "answer: ping and pong");
    }

    @Test
    void worksOnTheModulePath() throws Exception {
        Path classes = work.resolve("modules").resolve("org.example.consumer");
        String path = String.join(File.pathSeparator, jars());
        Path descriptor = PROJECT.resolve("module-info.java");
        jdk("javac", "-Xlint:all", "-Werror", "-d", classes, "-p", path, MAIN, descriptor);

        List<String> printed =
                jdk(
                        "java",
                        "-p",
                        classes + File.pathSeparator + path,
                        "-m",
                        "org.example.consumer/org.example.consumer.Main");

        assertThat(printed)
                .containsExactly(
                        "module: org.example.consumer", methods(), "answer: ping and pong");
    }

    @Test
    void aClientOfZoidNeedsNoEngineOnTheClassPath() throws Exception {
        Path classes = work.resolve("classes");
        String path = String.join(File.pathSeparator, jars(CLIENT_MODULES, CLIENT_LIBRARIES));
        jdk("javac", "-Xlint:all", "-Werror", "-d", classes, "-cp", path, clientMain());
        assertThat(
                        client(
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                classes + File.pathSeparator + path,
                                "org.example.client.Main"))
                .containsExactly("engine: false", "answer: ping and pong", NO_ENGINE, NO_ENGINE);
    }

    @Test
    void aClientOfZoidNeedsNoEngineOnTheModulePath() throws Exception {
        Path classes = work.resolve("modules").resolve("org.example.client");
        String path = String.join(File.pathSeparator, jars(CLIENT_MODULES, CLIENT_LIBRARIES));
        Path descriptor = CLIENT.resolve("module-info.java");
        jdk("javac", "-Xlint:all", "-Werror", "-d", classes, "-p", path, clientMain(), descriptor);
        assertThat(
                        client(
                                "--enable-native-access=org.jbmi.mempool",
                                "-p",
                                classes + File.pathSeparator + path,
                                "-m",
                                "org.example.client/org.example.client.Main"))
                .containsExactly("engine: false", "answer: ping and pong", NO_ENGINE, NO_ENGINE);
    }

    private static Path clientMain() {
        return CLIENT.resolve("org/example/client/Main.java");
    }

    /** Runs the client against a server in this process, which hosts the engine. */
    private List<String> client(String... arguments) throws Exception {
        Path directory = work.resolve("run");
        List<Object> all = new ArrayList<>(List.of(arguments));
        all.add(directory);
        AtomicBoolean isOver = new AtomicBoolean();
        try (Bmi server =
                Bmi.builder()
                        .knob("zoid.runtimeDirectory", directory.toString())
                        .knob("zoid.host", "embedded")
                        .knob("zbmi.segmentDirectory", work.toString())
                        .knob("zbmi.totalBytes", "16m")
                        .listen("zoid://")
                        .open()) {
            Thread answering = Thread.ofPlatform().start(() -> answer(server, isOver));
            try {
                return jdk("java", all.toArray());
            } finally {
                isOver.set(true);
                answering.join();
            }
        }
    }

    private static void answer(Bmi server, AtomicBoolean isOver) {
        UnexpectedMessages requests = UnexpectedMessages.ofCapacity(1);
        try (CompletionContext context = server.openContext();
                Arena arena = Arena.ofShared()) {
            while (!isOver.get()) {
                if (server.testUnexpected(requests, WAIT_MS) == 1) {
                    String word = requests.payload(0).getString(0);
                    MemorySegment reply = arena.allocateFrom(word + " and pong");
                    long post = context.postSend(requests.peer(0), reply, requests.tag(0));
                    context.await(post, TimeUnit.SECONDS.toMillis(PROCESS_SECONDS));
                    requests.free(0);
                }
            }
        }
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.release",
            matches = "true",
            disabledReason = "only publishing needs these jars")
    void everyModuleHasItsSourcesAndItsJavadoc() {
        for (String module : MODULES) {
            String jar = jarOf(module);
            String stem = jar.substring(0, jar.length() - ".jar".length());
            assertThat(Path.of(stem + "-sources.jar")).isRegularFile();
            assertThat(Path.of(stem + "-javadoc.jar")).isRegularFile();
        }
    }

    /** The methods that the same jars offer to this test: no fewer may be found by a user. */
    private static String methods() throws URISyntaxException {
        List<String> jars = jars();
        TreeSet<String> schemes = new TreeSet<>();
        for (MethodProvider found : ServiceLoader.load(MethodProvider.class)) {
            CodeSource from = found.getClass().getProtectionDomain().getCodeSource();
            if (jars.contains(Path.of(from.getLocation().toURI()).toString())) {
                schemes.add(found.scheme());
            }
        }
        assertThat(schemes).contains("loopback");
        return "methods: " + String.join(" ", schemes);
    }

    private static List<String> jars() {
        return jars(MODULES, LIBRARIES);
    }

    private static List<String> jars(List<String> modules, List<String> libraries) {
        List<String> jars = new ArrayList<>();
        modules.forEach(module -> jars.add(jarOf(module)));
        for (String library : libraries) {
            jars.addAll(
                    classPath()
                            .filter(
                                    jar ->
                                            Path.of(jar)
                                                    .getFileName()
                                                    .toString()
                                                    .startsWith(library))
                            .toList());
        }
        return jars;
    }

    private static String jarOf(String module) {
        return classPath()
                .filter(jar -> jar.endsWith(".jar"))
                .filter(jar -> Path.of(jar).getParent().endsWith(Path.of(module, "target")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("No jar of " + module + ": run mvn verify."));
    }

    private static Stream<String> classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator));
    }

    /** Runs a tool of the JDK that runs this test; it must succeed and be silent on stderr. */
    private List<String> jdk(String tool, Object... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
        Stream.of(arguments).map(Object::toString).forEach(command::add);
        Path out = work.resolve(tool + ".out");
        Path err = work.resolve(tool + ".err");
        Process process =
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        try {
            assertThat(process.waitFor(PROCESS_SECONDS, TimeUnit.SECONDS)).as(tool).isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(lines(err)).as("standard error of %s", tool).isEmpty();
        assertThat(process.exitValue()).as(tool).isZero();
        return lines(out);
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : Collections.emptyList();
    }
}

package org.jbmi.tools.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.FreePort;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Types docs/howto/shipper.md in as it stands, in an empty folder: its files, then its commands,
 * with the Maven of this machine and the jars that the build made. It takes half a minute, and
 * Maven may fetch a plugin.
 */
@EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
@Timeout(600)
class ShipperHowToTest {
    private static final Path ROOT = Documents.root();
    private static final String GENERATED = "target/generated-sources/annotations/";
    private static final String PORT = ":7070";
    private static final long SECONDS = 300;

    /** A block of the page, and the file that the text before it names last. */
    private record Block(String language, String file, String text) {}

    @TempDir private Path work;
    private final List<Path> links = new ArrayList<>();
    private final int freePort = FreePort.find();

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "zoid"})
    void whatThePageSaysWorks(String method) throws Exception {
        Path folder = Files.createDirectories(work.resolve("demo"));
        String page = Documents.read("docs/howto/shipper.md");
        List<Block> blocks = blocks(method.equals("zoid") ? overZoid(page) : page);
        for (Block block : blocks) {
            if (!block.language.equals("sh") && !block.file.startsWith(GENERATED)) {
                Path file = folder.resolve(block.file);
                Files.createDirectories(file.getParent());
                Files.writeString(file, block.text);
            }
        }
        Path repository = repository();
        List<String> commands =
                blocks.stream()
                        .filter(block -> block.language.equals("sh"))
                        .flatMap(block -> block.text.lines())
                        .map(line -> line.replace(PORT, ":" + freePort))
                        .toList();
        assertThat(commands).hasSize(3);

        Process build = start(folder, repository, commands.get(0));
        succeeds(build, commands.get(0) + rest(build.inputReader()));
        Process server = start(folder, repository, commands.get(1));
        try {
            assertThat(server.inputReader().readLine()).startsWith("serving at " + method);
            Process client = start(folder, repository, commands.get(2));
            assertThat(rest(client.inputReader()))
                    .containsExactly("the call is under way", "written: 20000000 bytes");
            succeeds(client, commands.get(2));
            server.outputWriter().write("\n");
            server.outputWriter().close();
            succeeds(server, commands.get(1));
        } finally {
            server.destroyForcibly().waitFor();
        }
        byte[] written = Files.readAllBytes(folder.resolve("demo.dat"));
        assertThat(written).hasSize(20_000_000).containsOnly('x');
        for (Block block : blocks) {
            if (block.file.startsWith(GENERATED)) {
                assertThat(Files.readString(folder.resolve(block.file))).contains(block.text);
            }
        }
    }

    /** What the page tells those to change who want shared memory. */
    private static String overZoid(String page) {
        assertThat(page)
                .contains("For processes of one host take `bmi-method-zoid`")
                .contains("`--enable-native-access=ALL-UNNAMED`");
        return page.replace("<artifactId>bmi-method-tcp", "<artifactId>bmi-method-zoid")
                .replace("tcp://127.0.0.1" + PORT, "zoid://")
                .replace("\njava -cp", "\njava --enable-native-access=ALL-UNNAMED -cp");
    }

    private static List<Block> blocks(String page) {
        Pattern fence =
                Pattern.compile("^```(\\w*)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
        Pattern name = Pattern.compile("`((?:src|target)/[^`]+\\.java|pom\\.xml)`");
        List<Block> blocks = new ArrayList<>();
        Matcher block = fence.matcher(page);
        int end = 0;
        while (block.find()) {
            Matcher file = name.matcher(page.substring(end, block.start()));
            String last = "";
            while (file.find()) {
                last = file.group(1);
            }
            end = block.end();
            if (List.of("xml", "java", "sh").contains(block.group(1))) {
                assertThat(last.isEmpty()).isEqualTo(block.group(1).equals("sh"));
                blocks.add(new Block(block.group(1), last, block.group(2)));
            }
        }
        return blocks;
    }

    /** Maven's local repository: what it has, and for this project what the build made. */
    private Path repository() throws IOException {
        Path known = localRepository();
        Path repository = Files.createDirectories(work.resolve("repository"));
        linkAll(known, repository, "org");
        linkAll(known.resolve("org"), Files.createDirectory(repository.resolve("org")), "jbmi");
        Path own = Files.createDirectory(repository.resolve(Path.of("org", "jbmi")));
        String version = version();
        add(own, "jbmi-parent", version, ROOT.resolve("pom.xml"), null);
        try (Stream<Path> folders = Files.list(ROOT)) {
            for (Path folder : folders.toList()) {
                String module = folder.getFileName().toString();
                Path jar = folder.resolve(Path.of("target", module + "-" + version + ".jar"));
                if (Files.exists(jar)) {
                    add(own, module, version, folder.resolve("pom.xml"), jar);
                }
            }
        }
        assertThat(own.resolve("bmi-shipper-processor")).as("run mvn verify").exists();
        return repository;
    }

    /** The folder of the test goes, and what is elsewhere stays. */
    @AfterEach
    void removeLinks() throws IOException {
        for (Path link : links) {
            Files.delete(link);
        }
    }

    private static Path localRepository() {
        String inside = File.separator + Path.of("org", "junit", "jupiter") + File.separator;
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(jar -> jar.contains(inside))
                .map(jar -> Path.of(jar.substring(0, jar.indexOf(inside))))
                .findFirst()
                .orElseThrow();
    }

    private void linkAll(Path from, Path to, String but) throws IOException {
        try (Stream<Path> children = Files.list(from)) {
            for (Path child : children.toList()) {
                if (!child.getFileName().toString().equals(but)) {
                    links.add(Files.createSymbolicLink(to.resolve(child.getFileName()), child));
                }
            }
        }
    }

    private static void add(Path own, String module, String version, Path pom, @Nullable Path jar)
            throws IOException {
        Path place = Files.createDirectories(own.resolve(Path.of(module, version)));
        Files.copy(pom, place.resolve(module + "-" + version + ".pom"));
        if (jar != null) {
            Files.copy(jar, place.resolve(module + "-" + version + ".jar"));
        }
    }

    private static String version() throws IOException {
        Matcher version =
                Pattern.compile("<artifactId>jbmi-parent</artifactId>\\s*<version>([^<]+)<")
                        .matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    /** Runs a line of the page in a shell, on the JDK of this test. */
    private Process start(Path folder, Path repository, String line) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", "exec " + line);
        Path home = Path.of(System.getProperty("java.home"));
        var environment = builder.environment();
        environment.put("JAVA_HOME", home.toString());
        environment.put("PATH", home.resolve("bin") + File.pathSeparator + environment.get("PATH"));
        environment.put("MAVEN_OPTS", "-Dmaven.repo.local=" + repository);
        environment.put("JDK_JAVA_OPTIONS", "-Djbmi.zoid.runtimeDirectory=" + work.resolve("zoid"));
        return builder.directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static List<String> rest(BufferedReader reader) {
        return reader.lines().filter(line -> !line.isBlank()).toList();
    }

    private static void succeeds(Process process, String what) throws InterruptedException {
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as(what).isTrue();
        assertThat(process.exitValue()).as(what).isZero();
    }
}

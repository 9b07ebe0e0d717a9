package org.jbmi.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;

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
 * The empty folder of somebody who follows a page of docs/howto, with the Maven of this machine and
 * the jars that the build made.
 */
final class HowToFolder implements AutoCloseable {
    private static final Path ROOT = Documents.root();
    private static final long SECONDS = 300;

    private final Path work;
    private final Path path;
    private final Path repository;
    private final List<Path> links = new ArrayList<>();

    HowToFolder(Path work) throws IOException {
        this.work = work;
        this.path = Files.createDirectories(work.resolve("demo"));
        this.repository = repository();
    }

    /** A block of the page, and the file that the text before it names last. */
    record Block(String language, String file, String text) {}

    Path path() {
        return path;
    }

    /** Whether the build has made a module. */
    boolean has(String module) {
        return Files.exists(repository.resolve(Path.of("org", "jbmi", module)));
    }

    /** Types a file in; commands are no files. */
    void write(Block block) throws IOException {
        if (!block.file.isEmpty()) {
            Path file = path.resolve(block.file);
            Files.createDirectories(file.getParent());
            Files.writeString(file, block.text);
        }
    }

    static List<Block> blocks(String page) {
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
        return repository;
    }

    /** The links go, and what is elsewhere stays. */
    @Override
    public void close() throws IOException {
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
    Process start(String line) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", "exec " + line);
        Path home = Path.of(System.getProperty("java.home"));
        var environment = builder.environment();
        environment.put("JAVA_HOME", home.toString());
        environment.put("PATH", home.resolve("bin") + File.pathSeparator + environment.get("PATH"));
        environment.put("MAVEN_OPTS", "-Dmaven.repo.local=" + repository);
        environment.put("JDK_JAVA_OPTIONS", "-Djbmi.zoid.runtimeDirectory=" + work.resolve("zoid"));
        return builder.directory(path.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    static List<String> rest(BufferedReader reader) {
        return reader.lines().filter(line -> !line.isBlank()).toList();
    }

    static void succeeds(Process process, String what) throws InterruptedException {
        assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as(what).isTrue();
        assertThat(process.exitValue()).as(what).isZero();
    }
}

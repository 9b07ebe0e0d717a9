package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.shipper.codec.Compilation;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.testsuite.support.FreePort;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The program of the how-to, compiled from that page by the compiler of the JDK, works between two
 * processes. The long form is {@code ShipperHowToTest}, which types the commands in as well.
 */
@Timeout(200)
class HowToTest {
    private static final Pattern BLOCK =
            Pattern.compile("^```java\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern TYPE =
            Pattern.compile("^public (?:record|class) (\\w+)", Pattern.MULTILINE);
    private static final int SECONDS = 60;

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "zoid"})
    void theProgramOfThePageWorks(String method) throws Exception {
        Path classes = folder.resolve("classes");
        List<String> blocks = blocks();
        Compilation compilation = Compilation.of(classes, sources(blocks));
        assertThat(compilation.errors()).isEmpty();
        assertThat(compilation.generated("demo/WriteInCodec.java")).contains(blocks.getLast());

        String address = method.equals("tcp") ? "tcp://127.0.0.1:" + FreePort.find() : "zoid://";
        try (URLClassLoader loader = compilation.load()) {
            Process server = start(classes, loader.loadClass("demo.Server"), address);
            Process client = null;
            try {
                assertThat(firstLine(server)).isEqualTo("serving at " + address);
                client = start(classes, loader.loadClass("demo.Client"), address);
                assertThat(client.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(client.inputReader().lines())
                        .containsExactly("the call is under way", "written: 20000000 bytes");
                server.outputWriter().write("\n");
                server.outputWriter().close();
                assertThat(server.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(List.of(server.exitValue(), client.exitValue())).containsOnly(0);
            } finally {
                server.destroyForcibly().waitFor();
                if (client != null) {
                    client.destroyForcibly().waitFor();
                }
            }
        }
        byte[] written = Files.readAllBytes(folder.resolve("demo.dat"));
        byte[] expected = new byte[20_000_000];
        Arrays.fill(expected, (byte) 'x');
        assertThat(Arrays.mismatch(written, expected)).isEqualTo(-1);
    }

    private static List<String> blocks() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "howto", "shipper.md"));
        return BLOCK.matcher(page).results().map(block -> block.group(1)).toList();
    }

    /** What is to be typed in; the last block shows what is generated. */
    private static Map<String, String> sources(List<String> blocks) {
        Map<String, String> sources = new TreeMap<>();
        for (String text : blocks.subList(0, blocks.size() - 1)) {
            Matcher type = TYPE.matcher(text);
            assertThat(type.find()).isTrue();
            sources.put("demo." + type.group(1), text);
        }
        assertThat(sources)
                .containsOnlyKeys("demo.Client", "demo.Server", "demo.WriteIn", "demo.WriteOut");
        return sources;
    }

    private Process start(Path classes, Class<?> main, String address) throws IOException {
        List<String> options =
                List.of(
                        "-Djbmi.zoid.runtimeDirectory=" + folder.resolve("z"),
                        "-Djbmi.zbmi.totalBytes=64m");
        List<String> command = ChildJvm.command(main, options, address);
        int path = command.indexOf("-cp") + 1;
        command.set(path, classes + File.pathSeparator + command.get(path));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String firstLine(Process process) throws Exception {
        BufferedReader out = process.inputReader();
        return CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return out.readLine();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        })
                .get(SECONDS, TimeUnit.SECONDS);
    }
}

package org.jbmi.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;
import org.jbmi.testsuite.support.ChildJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the first page says is so. */
class ReadmeTest {
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]+]\\(([^)\\s]+)\\)");

    @Test
    @Timeout(60)
    void theExampleRuns(@TempDir Path directory) throws Exception {
        String example = Documents.blocks(Documents.read("README.md"), "java").getFirst();
        Path source = Files.writeString(directory.resolve("Example.java"), example);
        Path output = directory.resolve("output");
        Process process =
                new ProcessBuilder(
                                ChildJvm.java(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--class-path",
                                System.getProperty("java.class.path"),
                                source.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        boolean ended = process.waitFor(50, TimeUnit.SECONDS);
        process.destroyForcibly();
        String printed = Files.readString(output).strip();
        assertThat(ended).as(printed).isTrue();
        assertThat(process.waitFor()).as(printed).isZero();
        assertThat(printed).isEqualTo("The reply has 1048576 bytes.");
    }

    @Test
    void theTableOfMethodsIsRight() throws IOException {
        List<List<String>> expected = new ArrayList<>();
        for (MethodProvider provider : ServiceLoader.load(MethodProvider.class)) {
            if (provider.scheme().equals("null")) {
                continue; // the benchmarks have it for themselves
            }
            List<Knob<?>> knobs = provider.knobs();
            Configuration defaults =
                    Configuration.resolve(knobs, Map.of(), name -> null, name -> null);
            MethodLimits limits = provider.limits(defaults);
            expected.add(
                    List.of(
                            provider.scheme(),
                            Long.toString(limits.maxExpectedBytes()),
                            Long.toString(limits.maxUnexpectedBytes()),
                            Long.toString(limits.eagerBytes()),
                            Integer.toString(limits.maxListCount())));
        }
        List<List<String>> rows =
                Documents.rows(Documents.read("README.md")).stream()
                        .filter(row -> row.size() == 8 && !row.getFirst().equals("method"))
                        .map(
                                row ->
                                        List.of(
                                                row.get(0),
                                                row.get(3),
                                                row.get(4),
                                                row.get(5),
                                                row.get(6)))
                        .toList();
        assertThat(rows).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> wrong = new ArrayList<>();
        int links = 0;
        for (Path page : Documents.pages()) {
            Matcher link = LINK.matcher(Files.readString(page));
            while (link.find()) {
                if (!link.group(1).contains("://")) {
                    links++;
                    if (!leadsSomewhere(page, link.group(1))) {
                        wrong.add(page + ": " + link.group(1));
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(links).isGreaterThan(100);
    }

    @Test
    void aLinkToAMissingPageOrHeadingIsSeen() {
        Path page = Documents.root().resolve("docs/README.md");
        assertThat(leadsSomewhere(page, "glossary.md#zoid")).isTrue();
        assertThat(leadsSomewhere(page, "glossary.md#no-such-heading")).isFalse();
        assertThat(leadsSomewhere(page, "no-such-page.md")).isFalse();
    }

    /** Whether the file is there, and in a document the heading. */
    private static boolean leadsSomewhere(Path page, String link) {
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? page : page.resolveSibling(file);
        if (!Files.exists(target)) {
            return false;
        }
        return hash < 0
                || !target.toString().endsWith(".md")
                || anchors(target).contains(link.substring(hash + 1));
    }

    /** The anchors of a document's headings: small letters, with hyphens for spaces. */
    private static List<String> anchors(Path document) {
        try {
            return Files.readString(document)
                    .lines()
                    .filter(line -> line.startsWith("#"))
                    .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
                    .map(line -> line.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

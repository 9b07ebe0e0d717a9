package org.jbmi.ordering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the jcstress tests of this module. Each is there twice: {@code Sound} must hold, and {@code
 * Weak}, which lacks what the structure relies on, must be caught.
 */
@Timeout(1500)
class OrderingTest {
    private static final boolean IS_LONG = Boolean.getBoolean("jbmi.long");
    private static final List<String> SHORT =
            List.of("-iters", "1", "-time", "100", "-sc", "no", "-fsm", "1", "-hs", "64");
    private static final List<String> LONG = List.of("-iters", "5", "-time", "400", "-sc", "yes");
    private static final String SOUND = ".Sound";
    private static final String WEAK = ".Weak";
    private static final int ROUNDS = 6;
    private static final long LIMIT_SECONDS = 900;

    @TempDir private Path work;

    @Test
    void eachStructureHasAWeakenedTwin() throws IOException {
        assertThat(structures(WEAK)).isEqualTo(structures(SOUND)).hasSizeGreaterThan(5);
    }

    @Test
    void whatIsSoundHolds() throws Exception {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "nothing happens at once here");
        List<String> said = run("[.]Sound$", IS_LONG ? LONG : SHORT);
        String last = "";
        for (String line : said) {
            last = line.contains("(Results: ") ? line : last;
        }
        assertThat(last)
                .as(String.join("\n", said))
                .matches(".*Results: (\\d+) planned; \\1 passed, 0 failed, 0 soft errs, 0 hard.*");
        int planned = Integer.parseInt(last.replaceAll("\\D*(\\d+) planned.*", "$1"));
        assertThat(planned).isGreaterThanOrEqualTo(structures(SOUND).size());
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
    void whatIsWeakIsCaught() throws Exception {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "nothing happens at once here");
        Set<String> left = new TreeSet<>(structures(WEAK));
        for (int round = 0, timeMs = 250; round < ROUNDS && !left.isEmpty(); round++, timeMs *= 2) {
            String which = "(" + String.join("|", left) + ")[.]Weak$";
            List<String> some = List.of("-iters", "4", "-time", "" + timeMs, "-sc", "no");
            for (String line : run(which, some)) {
                left.removeIf(each -> line.endsWith("[FAILED] " + each + WEAK));
            }
        }
        assertThat(left).isEmpty();
    }

    // What jcstress has found while the tests were compiled.
    private static Set<String> structures(String end) throws IOException {
        Set<String> found = new TreeSet<>();
        try (InputStream in = OrderingTest.class.getResourceAsStream("/META-INF/TestList")) {
            String all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            Matcher matcher =
                    Pattern.compile("(org[.]jbmi[.][\\w.]+?)[.](Sound|Weak)").matcher(all);
            while (matcher.find()) {
                if (end.endsWith(matcher.group(2))) {
                    found.add(matcher.group(1));
                }
            }
        }
        return found;
    }

    private List<String> run(String which, List<String> options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of("org.openjdk.jcstress.Main", "-t", which, "-f", "1"));
        // Otherwise it burns for some seconds to find out.
        command.addAll(List.of("-c", "" + Runtime.getRuntime().availableProcessors()));
        // jcstress lets each JVM touch its whole heap before it begins.
        command.addAll(List.of("-jvmArgs", "-XX:+UseSerialGC -XX:+UseTransparentHugePages"));
        command.addAll(options);
        Path said = work.resolve("said");
        Process process =
                new ProcessBuilder(command)
                        .directory(work.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        try {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as(which).isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return lines(said);
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file);
    }
}

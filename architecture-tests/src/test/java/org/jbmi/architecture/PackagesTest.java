package org.jbmi.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Packages know each other one way, and none has more files than a reader takes in at once. What
 * does not keep to it yet stands here by name, so that it can become less and not more.
 */
class PackagesTest {
    private static final int MAXIMUM_FILES = 25;

    /** Packages that know each other both ways. */
    private static final Set<Set<String>> CIRCLES =
            Set.of(
                    Set.of(
                            "org.jbmi",
                            "org.jbmi.config",
                            "org.jbmi.core",
                            "org.jbmi.core.events",
                            "org.jbmi.core.operation",
                            "org.jbmi.core.peer",
                            "org.jbmi.core.unexpected",
                            "org.jbmi.core.waiting",
                            "org.jbmi.observe",
                            "org.jbmi.spi"),
                    Set.of(
                            "org.jbmi.testsuite",
                            "org.jbmi.testsuite.cases",
                            "org.jbmi.testsuite.cases.call",
                            "org.jbmi.testsuite.cases.common",
                            "org.jbmi.testsuite.cases.message",
                            "org.jbmi.testsuite.cases.peer",
                            "org.jbmi.testsuite.process"),
                    Set.of(
                            "org.jbmi.zoid",
                            "org.jbmi.zoid.client",
                            "org.jbmi.zoid.common",
                            "org.jbmi.zoid.server"),
                    Set.of("org.jbmi.zoid.forward", "org.jbmi.zoid.forward.stub"));

    /** Those of the core: each may know those before it, and none may know one behind it. */
    private static final List<String> CORE =
            List.of(
                    "org.jbmi.core.events",
                    "org.jbmi.core.waiting",
                    "org.jbmi.core.peer",
                    "org.jbmi.core.unexpected",
                    "org.jbmi.core.operation",
                    "org.jbmi.core");

    /** Those of the kit's cases, in the same way. */
    private static final List<String> CASES =
            List.of(
                    "org.jbmi.testsuite.cases.common",
                    "org.jbmi.testsuite.cases.message",
                    "org.jbmi.testsuite.cases.call",
                    "org.jbmi.testsuite.cases.peer",
                    "org.jbmi.testsuite.cases");

    static List<List<String>> rows() {
        return List.of(CORE, CASES);
    }

    /** Within a circle, too, packages below one door know each other one way. */
    @ParameterizedTest
    @MethodSource("rows")
    void packagesBelowOneDoorStandInARow(List<String> row) {
        Map<String, Set<String>> arrows = arrows();
        assertThat(arrows.keySet().stream().filter(name -> name.startsWith(row.getLast())))
                .containsExactlyInAnyOrderElementsOf(row);
        assertThat(backwards(row, arrows)).isEmpty();
    }

    @Test
    void anArrowThatGoesBackIsSeen() {
        Map<String, Set<String>> arrows =
                Map.of(
                        "a", Set.of("c", "x"),
                        "b", Set.of("a"),
                        "c", Set.of("a", "b"));
        assertThat(backwards(List.of("a", "b", "c"), arrows)).containsExactly("a knows c");
        assertThat(backwards(List.of("b", "a"), arrows)).containsExactly("b knows a");
    }

    /** What knows a package that stands behind it in a row. */
    private static List<String> backwards(List<String> row, Map<String, Set<String>> arrows) {
        List<String> found = new ArrayList<>();
        for (String name : row) {
            for (String known : arrows.getOrDefault(name, Set.of())) {
                if (row.indexOf(known) > row.indexOf(name)) {
                    found.add(name + " knows " + known);
                }
            }
        }
        return found;
    }

    @Test
    void packagesKnowEachOtherOneWay() {
        assertThat(circles(arrows())).isEqualTo(CIRCLES);
    }

    @Test
    void aCircleIsSeen() {
        Map<String, Set<String>> arrows =
                Map.of(
                        "a", Set.of("b", "d"),
                        "b", Set.of("c"),
                        "c", Set.of("a", "d"),
                        "d", Set.of());
        assertThat(circles(arrows)).isEqualTo(Set.of(Set.of("a", "b", "c")));
        assertThat(circles(Map.of("a", Set.of("b"), "b", Set.of()))).isEmpty();
    }

    @Test
    void noPackageHasTooManyFiles() throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        for (House module : House.values()) {
            counts.putAll(files(House.projectFolder().resolve(module.folder())));
        }
        assertThat(counts).hasSizeGreaterThan(50);
        assertThat(tooLarge(counts)).isEmpty();
    }

    @Test
    void aPackageWithTooManyFilesIsSeen(@TempDir Path module) throws IOException {
        Path folder = Files.createDirectories(module.resolve("src/main/java/some/rooms"));
        for (int i = 0; i < MAXIMUM_FILES; i++) {
            Files.createFile(folder.resolve("Room" + i + ".java"));
        }
        assertThat(tooLarge(files(module))).isEmpty();
        Files.createFile(folder.resolve("OneMore.java"));
        assertThat(tooLarge(files(module))).containsExactly("some.rooms: 26 files, at most 25");
    }

    private static List<String> tooLarge(Map<String, Integer> counts) {
        List<String> found = new ArrayList<>();
        counts.forEach(
                (name, count) -> {
                    if (count > MAXIMUM_FILES) {
                        found.add(name + ": " + count + " files, at most " + MAXIMUM_FILES);
                    }
                });
        return found;
    }

    /** How many source files each package of a module has, tests aside. */
    private static Map<String, Integer> files(Path module) throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        Path sources = module.resolve("src/main/java");
        if (Files.isDirectory(sources)) {
            try (Stream<Path> all = Files.walk(sources)) {
                all.filter(file -> file.toString().endsWith(".java"))
                        .filter(file -> !file.endsWith("module-info.java"))
                        .map(file -> sources.relativize(file.getParent()).toString())
                        .forEach(name -> counts.merge(name.replace('/', '.'), 1, Integer::sum));
            }
        }
        return counts;
    }

    private static Map<String, Set<String>> arrows() {
        Map<String, Set<String>> arrows = new TreeMap<>();
        for (JavaClass type : House.allClasses()) {
            Set<String> known =
                    arrows.computeIfAbsent(type.getPackageName(), name -> new TreeSet<>());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (House.isOurs(target)
                        && !target.getPackageName().equals(type.getPackageName())) {
                    known.add(target.getPackageName());
                }
            }
        }
        return arrows;
    }

    /** The sets of packages of which each reaches each other one. */
    private static Set<Set<String>> circles(Map<String, Set<String>> arrows) {
        Map<String, Set<String>> reached = new TreeMap<>();
        arrows.keySet().forEach(name -> reached.put(name, reachedFrom(name, arrows)));
        Set<Set<String>> circles = new HashSet<>();
        reached.forEach(
                (name, its) -> {
                    Set<String> circle = new HashSet<>();
                    for (String other : its) {
                        if (reached.getOrDefault(other, Set.of()).contains(name)) {
                            circle.add(other);
                        }
                    }
                    if (circle.size() > 1) {
                        circles.add(circle);
                    }
                });
        return circles;
    }

    private static Set<String> reachedFrom(String start, Map<String, Set<String>> arrows) {
        Set<String> reached = new HashSet<>();
        List<String> open = new ArrayList<>(arrows.getOrDefault(start, Set.of()));
        while (!open.isEmpty()) {
            String next = open.removeLast();
            if (reached.add(next)) {
                open.addAll(arrows.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }
}

package org.jbmi.ordering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import org.jbmi.core.operation.CompletionHistories;
import org.jbmi.core.operation.TableHistories;
import org.jbmi.zbmi.link.CallHistories;
import org.jbmi.zbmi.link.DoorbellHistories;
import org.jbmi.zbmi.link.EagerHistories;
import org.jbmi.zbmi.link.GrantHistories;
import org.jbmi.zbmi.link.LaneHistories;
import org.jbmi.zbmi.link.SleepHistories;
import org.jbmi.zbmi.protocol.Message;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.util.LoggingLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks with Lincheck whether what several threads do to a structure at once could have been done
 * by one after the other. Each structure is the production class; {@code Sound} runs it in arrays,
 * {@code Weak} takes away what it relies on and must be found, {@code Spec} says what it is to
 * those who use it.
 *
 * <p>Scenarios and schedules are the same in each run of the same build.
 */
@Timeout(900)
class LinearizabilityTest {
    private static final boolean IS_LONG = Boolean.getBoolean("jbmi.long");

    // A new table makes 64 operations; by itself Lincheck takes such a loop for an endless one.
    private static final int LOOP_BOUND = 1000;

    private static final String CLASS = ".class";
    private static final String HISTORIES = "Histories" + CLASS;

    /** The tests that take all histories. */
    private static final List<String> LISTS =
            List.of(
                    "whatHappensAtOnceCouldHappenInTurn",
                    "whatIsWeakIsFound",
                    "soItIsWithRealThreads");

    /** Their weak versions are found in few scenarios; those of others need more. */
    private static final Set<Class<?>> SOON_FOUND =
            Set.of(LaneHistories.class, TableHistories.class, CompletionHistories.class);

    /** Their weak versions need most. */
    private static final Set<Class<?>> LATE_FOUND =
            Set.of(CallHistories.class, GrantHistories.class);

    @ParameterizedTest
    @ValueSource(
            classes = {
                LaneHistories.Sound.class,
                CallHistories.Sound.class,
                GrantHistories.Sound.class,
                EagerHistories.Sound.class,
                DoorbellHistories.Late.class,
                SleepHistories.Late.class,
                TableHistories.Sound.class,
                CompletionHistories.Sound.class,
            })
    void whatHappensAtOnceCouldHappenInTurn(Class<?> structure) {
        checked(structure);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                LaneHistories.Weak.class,
                CallHistories.Weak.class,
                GrantHistories.Weak.class,
                EagerHistories.Weak.class,
                DoorbellHistories.Weak.class,
                SleepHistories.Weak.class,
                TableHistories.Weak.class,
                CompletionHistories.Weak.class,
            })
    void whatIsWeakIsFound(Class<?> structure) {
        assertThatThrownBy(() -> checked(structure))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("= Invalid execution results =");
    }

    @ParameterizedTest
    @ValueSource(classes = {DoorbellHistories.Sound.class, SleepHistories.Sound.class})
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
    void soItIsWhereStoresAreSeenAtOnce(Class<?> structure) {
        checked(structure);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                LaneHistories.Real.class,
                CallHistories.Sound.class,
                GrantHistories.Real.class,
                EagerHistories.Real.class,
                DoorbellHistories.Real.class,
                SleepHistories.Real.class,
                TableHistories.Sound.class,
                CompletionHistories.Sound.class,
            })
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
    void soItIsWithRealThreads(Class<?> structure) {
        check(new StressOptions().iterations(20).invocationsPerIteration(200), structure);
    }

    /** A class that is not in the lists would never run. */
    @Test
    void everyHistoryIsInTheLists() throws Exception {
        Path root =
                Path.of(
                        LinearizabilityTest.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        Set<String> written;
        // Only the classes: beside them other tests make and remove temporary folders.
        try (Stream<Path> files = Files.walk(root.resolve("org"))) {
            written =
                    files.map(file -> root.relativize(file).toString().replace('/', '.'))
                            .filter(name -> name.endsWith(HISTORIES))
                            .map(name -> name.substring(0, name.length() - CLASS.length()))
                            .collect(Collectors.toSet());
        }
        for (String list : LISTS) {
            Class<?>[] classes =
                    LinearizabilityTest.class
                            .getDeclaredMethod(list, Class.class)
                            .getAnnotation(ValueSource.class)
                            .classes();
            assertThat(classes)
                    .as(list)
                    .extracting(each -> each.getEnclosingClass().getName())
                    .containsExactlyInAnyOrderElementsOf(written);
        }
    }

    // A message is its thread's own; looking in between its accesses would find nothing.
    private static void checked(Class<?> structure) {
        boolean isSoonFound = SOON_FOUND.contains(structure.getEnclosingClass());
        boolean isLateFound = LATE_FOUND.contains(structure.getEnclosingClass());
        int scenarios = IS_LONG ? 40 : isSoonFound ? 3 : isLateFound ? 12 : 6;
        int schedules = IS_LONG ? 200 : isSoonFound ? 30 : 60;
        ModelCheckingOptions options =
                new ModelCheckingOptions()
                        .iterations(scenarios)
                        .invocationsPerIteration(schedules)
                        .loopBound(LOOP_BOUND)
                        .addGuarantee(forClasses(Message.class.getName()).allMethods().ignore());
        check(options, structure);
    }

    private static void check(Options<?, ?> options, Class<?> structure) {
        Class<?> outer = structure.getEnclosingClass();
        Class<?> specification = null;
        for (Class<?> each : outer.getDeclaredClasses()) {
            specification = each.getSimpleName().equals("Spec") ? each : specification;
        }
        options.logLevel(LoggingLevel.ERROR)
                .threads(2)
                .actorsBefore(3)
                .actorsPerThread(3)
                .actorsAfter(2)
                .minimizeFailedScenario(false)
                .sequentialSpecification(specification)
                .check(structure);
    }
}

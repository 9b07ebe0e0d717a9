package org.jbmi.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;

import org.jbmi.architecture.guilty.CallsTheSystem;
import org.jbmi.architecture.guilty.EndsTheProcess;
import org.jbmi.architecture.guilty.FindsAFreePort;
import org.jbmi.architecture.guilty.ParsesOptions;
import org.jbmi.architecture.guilty.Reinterprets;
import org.jbmi.zbmi.engine.guilty.ReadsTheClock;
import org.jctools.util.UnsafeAccess;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.stream.Stream;

/** Things that have one place each. */
class PlacesTest {
    private static final String[] COMMAND_LINES = {
        "org.jbmi.tools..", "org.jbmi.rig..", "org.jbmi.demo.."
    };

    private static final ArchRule DOWNCALLS =
            noClasses()
                    .that()
                    .resideOutsideOfPackages("org.jbmi.mempool.os", "org.jbmi.zoidfs.server.os")
                    .should()
                    .dependOnClassesThat()
                    .belongToAnyOf(Linker.class, SymbolLookup.class)
                    .because("two packages call the operating system: for memory, and for files");

    private static final ArchRule REINTERPRET =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("org.jbmi.mempool.os")
                    .should()
                    .accessTargetWhere(
                            target(owner(assignableTo(MemorySegment.class)))
                                    .and(target(name("reinterpret"))))
                    .because("a wrong reinterpret kills the process, so one package does it");

    private static final ArchRule UNSAFE =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("sun.misc..", "jdk.internal..", "sun.nio..")
                    .because("users are not asked for JVM flags");

    private static final ArchRule OPTIONS =
            noClasses()
                    .that()
                    .resideOutsideOfPackages(COMMAND_LINES)
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("picocli..")
                    .because("only the command lines know picocli");

    private static final ArchRule EXIT =
            noClasses()
                    .that()
                    .resideOutsideOfPackages(COMMAND_LINES)
                    .should()
                    .accessTargetWhere(
                            target(owner(assignableTo(System.class))).and(target(name("exit"))))
                    .orShould()
                    .accessTargetWhere(
                            target(owner(assignableTo(Runtime.class)))
                                    .and(target(name("exit")).or(target(name("halt")))))
                    .because("a library does not end the process");

    private static final ArchRule TEST_HELPERS =
            noClasses()
                    .that()
                    .resideOutsideOfPackages("org.jbmi.testsuite..", "org.jbmi.conformance..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("org.jbmi.testsuite.support")
                    .because("what only tests need is not for the tools that know the kit");

    private static final ArchRule RULES_ONLY =
            noClasses()
                    .that()
                    .resideInAPackage("org.jbmi.zbmi.engine..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "java.io..",
                            "java.net..",
                            "java.nio..",
                            "java.lang.foreign..",
                            "java.util.concurrent.atomic..",
                            "java.util.concurrent.locks..",
                            "org.jbmi.mempool..")
                    .orShould()
                    .dependOnClassesThat()
                    .belongToAnyOf(System.class, Thread.class)
                    .because("the engine has no memory, clock, thread or file of its own");

    static Stream<Arguments> rules() {
        return Stream.of(
                Arguments.of(RULES_ONLY, ReadsTheClock.class),
                Arguments.of(DOWNCALLS, CallsTheSystem.class),
                Arguments.of(REINTERPRET, Reinterprets.class),
                Arguments.of(UNSAFE, UnsafeAccess.class),
                Arguments.of(OPTIONS, ParsesOptions.class),
                Arguments.of(EXIT, EndsTheProcess.class),
                Arguments.of(TEST_HELPERS, FindsAFreePort.class));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theProjectKeepsTheRule(ArchRule rule, Class<?> guilty) {
        rule.check(House.allClasses());
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theRuleSeesAClassThatBreaksIt(ArchRule rule, Class<?> guilty) {
        JavaClasses classes = new ClassFileImporter().importClasses(guilty);
        assertThat(rule.evaluate(classes).getFailureReport().getDetails()).isNotEmpty();
    }
}

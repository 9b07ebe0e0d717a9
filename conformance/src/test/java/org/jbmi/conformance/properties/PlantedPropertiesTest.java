package org.jbmi.conformance.properties;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.fault.Planted;
import org.jbmi.testsuite.fault.PlantingLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

/** The programs of the properties must find every planted fault, each in less than a minute. */
@Timeout(180)
@EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
class PlantedPropertiesTest {
    private static final String CORE = "org.jbmi.core.";
    private static final String ENGINE = "org.jbmi.zbmi.engine.";
    private static final String LINK = "org.jbmi.zbmi.link.";
    private static final String ZOID = "org.jbmi.zoid.server.";
    private static final long SEED = 42;
    private static final long LIMIT_SECONDS = 60;
    private static final long CONTROL_SECONDS = 20;

    static Stream<Planted> programs() {
        return Stream.of(
                Planted.body(
                        "cancel: nothing is withdrawn",
                        ENGINE + "Transfers",
                        "withdrawExpected",
                        0),
                Planted.body(
                        "order: later ones pass those without memory",
                        ZOID + "NoMemoryQueue",
                        "holds",
                        0),
                Planted.body("no memory: nobody tries again", ZOID + "Retries", "memoryFreed", 0),
                Planted.body(
                        "credits: what was read is not said", LINK + "LaneConsumer", "publish", 0),
                Planted.body("bytes: they are not copied", LINK + "GrantMover", "write", 1));
    }

    static Stream<Planted> varied() {
        return Stream.of(
                Planted.unread(
                        "classes: a listener gives all messages back to class 0",
                        CORE + "unexpected.UnexpectedStore",
                        "redistribute",
                        "messageClass",
                        0),
                Planted.body(
                        "deadlines: they end nothing",
                        CORE + "operation.OperationRounds",
                        "endExpired",
                        0),
                Planted.unread(
                        "deadlines: idle ones are not seen",
                        CORE + "operation.CoreOperation",
                        "setDeadline",
                        "idleNs",
                        0));
    }

    static Stream<Planted> deaths() {
        return Stream.of(
                Planted.body(
                        "death: the server never hears",
                        ENGINE + "Lifecycle",
                        "endServerOperations",
                        0));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void programsFindIt(Planted fault) throws Exception {
        hunt(fault, "programs");
    }

    @ParameterizedTest
    @MethodSource("varied")
    void variedProgramsFindIt(Planted fault) throws Exception {
        hunt(fault, "varied");
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void programsWithAnEndFindIt(Planted fault) throws Exception {
        hunt(fault, "leaving");
    }

    static Stream<Planted> losses() {
        return Stream.of(
                Planted.body(
                        "loss: what comes early is dropped",
                        "org.jbmi.tcp.peer.Arrivals",
                        "placeEarly",
                        1));
    }

    @ParameterizedTest
    @MethodSource("losses")
    void threadsFindIt(Planted fault) throws Exception {
        hunt(fault, "threads");
    }

    @Test
    void withoutAFaultTheyFindNothing() {
        assertThat(PlantedHunt.programs(SEED, CONTROL_SECONDS)).isNull();
        assertThat(PlantedHunt.varied(SEED, CONTROL_SECONDS)).isNull();
        assertThat(PlantedHunt.leaving(SEED, CONTROL_SECONDS)).isNull();
        assertThat(PlantedHunt.threads(SEED, CONTROL_SECONDS)).isNull();
    }

    private static void hunt(Planted fault, String how) throws Exception {
        Thread here = Thread.currentThread();
        ClassLoader parent = here.getContextClassLoader();
        ClassLoader loader = new PlantingLoader(fault, "org.jbmi.", parent);
        Class<?> type = loader.loadClass("org.jbmi.conformance.properties.PlantedHunt");
        long startNs = System.nanoTime();
        here.setContextClassLoader(loader); // by which methods are found
        Object found;
        try {
            found = type.getMethod(how, long.class, long.class).invoke(null, SEED, LIMIT_SECONDS);
        } finally {
            here.setContextClassLoader(parent);
        }
        double seconds = (System.nanoTime() - startNs) / 1e9;
        System.out.printf("%-50s %6.1f s  %s%n", fault.name(), seconds, found);
        assertThat(found).as(fault.name()).isNotNull();
    }
}

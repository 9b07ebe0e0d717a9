package org.jbmi.conformance.planted;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.fault.Planted;
import org.jbmi.testsuite.fault.PlantingLoader;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

/** A case that claims a number or a counter must fail where a fault makes its claim wrong. */
@Timeout(120)
class PlantedCasesTest {
    private static final String CORE = "org.jbmi.core.";
    private static final String POOL = "org.jbmi.mempool.";
    private static final String ENGINE = "org.jbmi.zbmi.engine.";
    private static final String LINK = "org.jbmi.zbmi.link.";
    private static final String CLIENT = "org.jbmi.zoid.client.";
    private static final String SERVER = "org.jbmi.zoid.server.";
    private static final String LOOPBACK = "loopback";
    private static final String ZOID = "zoid-embedded";
    private static final String TCP = "tcp-standalone";

    /**
     * A fault and the case that must find it.
     *
     * @param caseId number of the case
     * @param configuration in which it runs
     * @param fault what is planted
     */
    private record Claim(int caseId, String configuration, Planted fault) {
        @Override
        public String toString() {
            return caseId + ": " + fault;
        }
    }

    /** Those that are found in a moment, for every build. */
    static Stream<Claim> some() {
        return Stream.of(
                new Claim(
                        58,
                        LOOPBACK,
                        Planted.call(
                                "what is forgotten is not counted",
                                "org.jbmi.loopback.LoopbackMethod",
                                "close",
                                "add",
                                0)),
                new Claim(
                        153,
                        LOOPBACK,
                        Planted.slow("testSome sleeps", CORE + "operation.Tester", "testSome", 6)),
                new Claim(
                        156,
                        ZOID,
                        Planted.twice(
                                "a test makes two calls",
                                CLIENT + "ClientCounters",
                                "test",
                                "increment")),
                new Claim(
                        212,
                        ZOID,
                        Planted.body(
                                "newcomers pass those who wait",
                                SERVER + "Retries",
                                "mustWait",
                                0)));
    }

    static Stream<Claim> all() {
        return Stream.of(some(), ofMemory(), ofTime(), ofOutcomes()).flatMap(each -> each);
    }

    private static Stream<Claim> ofMemory() {
        return Stream.of(
                new Claim(
                        58,
                        ZOID,
                        Planted.body(
                                "what a client forgets is not counted",
                                CLIENT + "ClientMemory",
                                "reportLeaks",
                                0)),
                new Claim(
                        59,
                        LOOPBACK,
                        Planted.call(
                                "a free block is not joined with the one before it",
                                POOL + "BlockHeap",
                                "give",
                                "join",
                                0)),
                new Claim(
                        61,
                        ZOID,
                        Planted.body(
                                "the segment is not reserved",
                                POOL + "os.NativeAccess",
                                "reserve",
                                0)),
                new Claim(
                        66,
                        ZOID,
                        Planted.body(
                                "bytes are not copied", LINK + "SegmentGrantMover", "write", 1)),
                new Claim(
                        123,
                        ZOID,
                        Planted.twice(
                                "copies are made twice",
                                CLIENT + "ClientCopies",
                                "count",
                                "increment")),
                new Claim(
                        202,
                        ZOID,
                        Planted.call(
                                "temporary blocks stay",
                                SERVER + "Placement",
                                "release",
                                "free",
                                0)));
    }

    private static Stream<Claim> ofTime() {
        return Stream.of(
                new Claim(
                        140,
                        LOOPBACK,
                        Planted.body("waits spin", CORE + "waiting.Progress", "isOver", 1)),
                new Claim(
                        154,
                        LOOPBACK,
                        Planted.slow(
                                "testUnexpected starts late",
                                CORE + "CoreBmi",
                                "testUnexpected",
                                60)),
                new Claim(
                        158,
                        ZOID,
                        Planted.slow("memfree is slow", SERVER + "ZoidServer", "memfree", 20)),
                new Claim(
                        158,
                        ZOID,
                        Planted.slow("cancels are slow", SERVER + "ZoidServer", "cancel", 20)),
                new Claim(
                        215,
                        ZOID,
                        Planted.slow("memfree is slow", SERVER + "ZoidServer", "memfree", 20)),
                new Claim(
                        325,
                        ZOID,
                        Planted.call(
                                "who is interrupted makes half a round",
                                CORE + "waiting.Progress",
                                "pollOnce",
                                "isInterrupted",
                                0)));
    }

    private static Stream<Claim> ofOutcomes() {
        Planted borrowed =
                Planted.body(
                        "what is left of a send stays in the program's memory",
                        "org.jbmi.tcp.peer.Writer",
                        "copyRest",
                        0);
        return Stream.of(
                new Claim(329, TCP, borrowed),
                new Claim(330, TCP, borrowed),
                new Claim(
                        332,
                        ZOID,
                        Planted.body(
                                "one client may take all",
                                ENGINE + "UnexpectedRegion",
                                "mayTakeChunk",
                                1)),
                new Claim(
                        29,
                        LOOPBACK,
                        Planted.body("peers stay", CORE + "peer.PeerTable", "unwanted", 0)),
                new Claim(
                        149,
                        ZOID,
                        Planted.call(
                                "a server's cancel withdraws nothing",
                                ENGINE + "ServerCalls",
                                "cancel",
                                "remove",
                                0)),
                new Claim(
                        192,
                        ZOID,
                        Planted.call(
                                "a window is closed in the books only",
                                ENGINE + "Grants",
                                "closeWindow",
                                "swapWindow",
                                1)),
                new Claim(
                        200,
                        ZOID,
                        Planted.body("nobody tries again", SERVER + "Retries", "memoryFreed", 0)),
                new Claim(
                        310,
                        LOOPBACK,
                        Planted.body(
                                "operations stay", CORE + "operation.OperationStock", "free", 0)));
    }

    @ParameterizedTest
    @MethodSource("some")
    void theCaseFindsTheFault(Claim claim) throws Exception {
        hunt(claim);
    }

    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
    @ParameterizedTest
    @MethodSource("all")
    void everyCaseFindsItsFault(Claim claim) throws Exception {
        hunt(claim);
        String sound = PlantedCase.run(claim.configuration(), claim.caseId());
        assertThat(sound).as("case " + claim.caseId() + " without a fault").isNull();
    }

    private static void hunt(Claim claim) throws Exception {
        Thread here = Thread.currentThread();
        ClassLoader parent = here.getContextClassLoader();
        ClassLoader loader = new PlantingLoader(claim.fault(), "org.jbmi.", parent);
        Class<?> type = loader.loadClass(PlantedCase.class.getName());
        long startNs = System.nanoTime();
        here.setContextClassLoader(loader); // by which methods are found
        Object found;
        try {
            found =
                    type.getMethod("run", String.class, int.class)
                            .invoke(null, claim.configuration(), claim.caseId());
        } finally {
            here.setContextClassLoader(parent);
        }
        double seconds = (System.nanoTime() - startNs) / 1e9;
        System.out.printf("%-55s %5.1f s  %s%n", claim, seconds, found);
        assertThat(found).as(claim.toString()).isNotNull();
    }
}

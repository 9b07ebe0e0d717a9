package org.jbmi.conformance.planted;

import org.jbmi.testsuite.fault.Planted;

import java.util.Map;
import java.util.stream.Stream;

/**
 * Faults for the cases that claim a number or a counter, and for some others; each makes the claim
 * of its case wrong.
 */
final class CaseFaults {
    private static final String CORE = "org.jbmi.core.";
    private static final String MEMPOOL = "org.jbmi.mempool.";
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
     * @param sign a part of what the case must say; empty if whatever fails shows the fault
     */
    record Claim(int caseId, String configuration, Planted fault, String sign) {
        Claim(int caseId, String configuration, Planted fault) {
            this(caseId, configuration, fault, "");
        }

        @Override
        public String toString() {
            return caseId + ": " + fault;
        }
    }

    /**
     * Most cases look for lost blocks at their end, so each of these notices it if its server needs
     * a temporary block.
     */
    private static final Planted BLOCKS_STAY =
            Planted.call("temporary blocks stay", SERVER + "Placement", "release", "free", 0);

    private static final Planted CLIENT_BLOCKS_STAY =
            Planted.body("what a client frees stays", CLIENT + "ZoidClient", "memfree", 0);

    private static final String NOTHING_COMES = "its 0 says that nothing comes of it";
    private static final String A_SIGNAL =
            "the counter only shows when a call is on its way, and its value is claimed by case"
                    + " 156";

    private CaseFaults() {}

    /** Cases that need no fault, and why. */
    static Map<Integer, String> excused() {
        return Map.ofEntries(
                Map.entry(51, "its 0 is the size that was asked for"),
                Map.entry(64, NOTHING_COMES),
                Map.entry(90, NOTHING_COMES),
                Map.entry(130, NOTHING_COMES),
                Map.entry(133, NOTHING_COMES),
                Map.entry(135, NOTHING_COMES),
                Map.entry(136, "its thousand says how often it is tried"),
                Map.entry(168, A_SIGNAL),
                Map.entry(169, A_SIGNAL),
                Map.entry(170, A_SIGNAL),
                Map.entry(171, A_SIGNAL),
                Map.entry(187, NOTHING_COMES),
                Map.entry(198, "its bound is the watchdog"));
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
                                "freeMemory",
                                "add",
                                0)),
                new Claim(49, ZOID, CLIENT_BLOCKS_STAY),
                new Claim(63, ZOID, BLOCKS_STAY),
                new Claim(
                        153,
                        LOOPBACK,
                        Planted.slow("testSome sleeps", CORE + "operation.Tester", "testSome", 6)),
                new Claim(
                        156,
                        ZOID,
                        Planted.twice(
                                "a test makes two calls", CLIENT + "ClientSession", "poll", "ask")),
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
        return Stream.of(
                        some(),
                        ofMemory(),
                        ofTime(),
                        ofWakes(),
                        ofOutcomes(),
                        ofCounters(),
                        ofRoom(),
                        ofEnds())
                .flatMap(each -> each);
    }

    private static Stream<Claim> ofMemory() {
        return Stream.of(
                new Claim(
                        58,
                        ZOID,
                        Planted.call(
                                "what a client forgets is not counted",
                                CLIENT + "ZoidClient",
                                "closePool",
                                "reportLeaks",
                                0)),
                new Claim(
                        59,
                        LOOPBACK,
                        Planted.call(
                                "a free block is not joined with the one before it",
                                MEMPOOL + "pool.BlockHeap",
                                "give",
                                "join",
                                0)),
                new Claim(
                        61,
                        ZOID,
                        Planted.body(
                                "the segment is not reserved",
                                MEMPOOL + "os.NativeAccess",
                                "reserve",
                                0)),
                new Claim(
                        62,
                        ZOID,
                        Planted.body(
                                "the memory of messages is not given back",
                                ENGINE + "Unexpected",
                                "release",
                                0),
                        "unexpected.held"),
                new Claim(
                        66,
                        ZOID,
                        Planted.body("bytes are not copied", LINK + "GrantMover", "write", 1),
                        "the bytes that arrived differ"),
                new Claim(
                        123,
                        ZOID,
                        Planted.body(
                                "copies are not counted", CLIENT + "ClientCounters", "copied", 0)),
                new Claim(202, ZOID, BLOCKS_STAY),
                new Claim(
                        307,
                        ZOID,
                        Planted.body(
                                "what a client's operation uses may be freed",
                                CLIENT + "ClientOperation",
                                "pin",
                                1),
                        "freeing memory in use was not refused"),
                new Claim(217, ZOID, BLOCKS_STAY));
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

    private static Stream<Claim> ofWakes() {
        Planted unwoken = Planted.body("nobody wakes it", CORE + "waiting.Waiter", "wake", 0);
        Planted late =
                Planted.body(
                        "a sleeping thread hears of no deadline",
                        CORE + "waiting.Progress",
                        "wake",
                        0);
        return Stream.of(
                new Claim(107, LOOPBACK, unwoken),
                new Claim(142, LOOPBACK, unwoken),
                new Claim(206, LOOPBACK, unwoken),
                new Claim(206, TCP, unwoken),
                new Claim(313, LOOPBACK, late));
    }

    private static Stream<Claim> ofOutcomes() {
        Planted borrowed =
                Planted.body(
                        "what is left of a send stays in the program's memory",
                        "org.jbmi.tcp.peer.Writer",
                        "copyRest",
                        0);
        return Stream.of(
                new Claim(
                        192,
                        TCP,
                        Planted.unread(
                                "a cancel does not see that its receive is being filled",
                                "org.jbmi.tcp.peer.Receives",
                                "cancelMoving",
                                "touching",
                                0),
                        "bytes"),
                new Claim(329, TCP, borrowed),
                new Claim(330, TCP, borrowed),
                new Claim(
                        332,
                        ZOID,
                        Planted.body(
                                "one client may take all",
                                ENGINE + "state.UnexpectedRegion",
                                "mayTakeChunk",
                                1)),
                new Claim(
                        29,
                        LOOPBACK,
                        Planted.body("peers stay", CORE + "peer.PeerTable", "drop", 0)),
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
                                1),
                        "the error code of the operation is -E"),
                new Claim(
                        200,
                        ZOID,
                        Planted.body("nobody tries again", SERVER + "Retries", "memoryFreed", 0),
                        "in time were 40 of 40"),
                new Claim(
                        310,
                        LOOPBACK,
                        Planted.body(
                                "operations stay", CORE + "operation.OperationStock", "free", 0)));
    }

    private static Stream<Claim> ofCounters() {
        return Stream.of(
                new Claim(
                        9,
                        LOOPBACK,
                        Planted.body(
                                "operations stay", CORE + "operation.OperationStock", "free", 0)),
                new Claim(
                        24,
                        LOOPBACK,
                        Planted.call(
                                "each message has a peer of its own",
                                CORE + "peer.PeerTable",
                                "sender",
                                "handle",
                                0)),
                new Claim(
                        26,
                        LOOPBACK,
                        Planted.unread(
                                "there is always a reference to give back",
                                CORE + "peer.PeerTable",
                                "release",
                                "references",
                                1)),
                new Claim(
                        74,
                        ZOID,
                        Planted.call(
                                "odd addresses are not counted",
                                SERVER + "Placement",
                                "pin",
                                "increment",
                                0)),
                new Claim(
                        92,
                        ZOID,
                        Planted.body(
                                "blocks of the pool are taken for other memory",
                                SERVER + "Placement",
                                "pin",
                                -1)),
                new Claim(
                        188,
                        ZOID,
                        Planted.first(
                                "a cancel asks the engine",
                                CLIENT + "ClientSession",
                                "cancel",
                                "poll")),
                new Claim(
                        197,
                        ZOID,
                        Planted.unread(
                                "the engine is asked to cancel what it does not know",
                                SERVER + "ServerOperations",
                                "cancel",
                                "state",
                                3)),
                new Claim(
                        215,
                        ZOID,
                        Planted.first(
                                "memfree copies for those who wait",
                                SERVER + "Retries",
                                "memoryFreed",
                                "serve")));
    }

    private static Stream<Claim> ofRoom() {
        return Stream.of(
                new Claim(
                        48,
                        LOOPBACK,
                        Planted.unread(
                                "blocks begin one byte too late",
                                MEMPOOL + "pool.PoolAllocator",
                                "offsetOf",
                                "baseOffset",
                                1)),
                new Claim(
                        104,
                        LOOPBACK,
                        Planted.body(
                                "there is always room for one more message",
                                CORE + "unexpected.UnexpectedSlots",
                                "isFull",
                                0)),
                new Claim(
                        134,
                        LOOPBACK,
                        Planted.body(
                                "there is always room for one more completion",
                                CORE + "operation.CompletionSlots",
                                "isFull",
                                0)),
                new Claim(
                        121,
                        ZOID,
                        Planted.unread(
                                "a client holds one piece of memory at most",
                                ENGINE + "state.UnexpectedRegion",
                                "mayTakeChunk",
                                "freeCount",
                                1)),
                new Claim(
                        122,
                        LOOPBACK,
                        Planted.body(
                                "those who wait are not served",
                                "org.jbmi.loopback.UnexpectedStore",
                                "serve",
                                0)),
                new Claim(
                        128,
                        TCP,
                        Planted.call(
                                "the memory for messages has no bound",
                                "org.jbmi.tcp.peer.TcpState",
                                "<init>",
                                "longValue",
                                1 << 30)),
                new Claim(
                        331,
                        "zoid-socket-unix",
                        Planted.unread(
                                "a cancelled receive that is too small takes the message",
                                ENGINE + "Matcher",
                                "step",
                                "towardServer",
                                1)));
    }

    private static Stream<Claim> ofEnds() {
        // Only the first close of two: after both, the watchdog would come before the case's words.
        Planted slow =
                Planted.slow("closes are slow", "org.jbmi.loopback.Inbox", "peerClosed", 21_000);
        Planted outlive =
                Planted.body(
                        "sends that wait outlive their peers",
                        "org.jbmi.loopback.UnexpectedStore",
                        "drain",
                        0);
        return Stream.of(
                new Claim(334, LOOPBACK, outlive),
                new Claim(335, LOOPBACK, outlive),
                new Claim(7, LOOPBACK, slow, "closing takes a bounded time"),
                new Claim(
                        8,
                        LOOPBACK,
                        Planted.unread(
                                "a member that closes tells its own operations success",
                                "org.jbmi.loopback.Departure",
                                "complete",
                                "ECANCEL",
                                0),
                        "ends with ECANCEL, not SUCCESS"),
                new Claim(
                        8,
                        TCP,
                        Planted.unread(
                                "an instance that closes tells its own receives success",
                                "org.jbmi.tcp.peer.Closing",
                                "endConnections",
                                "ECANCEL",
                                0),
                        "ends with ECANCEL, not SUCCESS"),
                new Claim(8, LOOPBACK, slow, "all waits end soon after the close"),
                new Claim(
                        106,
                        LOOPBACK,
                        Planted.slow(
                                "testUnexpected is slow", CORE + "CoreBmi", "testUnexpected", 6)),
                new Claim(
                        138,
                        LOOPBACK,
                        Planted.body(
                                "nobody returns for a message",
                                CORE + "ContextTable",
                                "nudgeAll",
                                0)),
                new Claim(
                        237,
                        TCP,
                        Planted.body(
                                "connections with garbage stay",
                                "org.jbmi.tcp.peer.Reader",
                                "refuse",
                                1)),
                new Claim(
                        237,
                        TCP,
                        Planted.call(
                                "garbage is not counted",
                                "org.jbmi.tcp.peer.Reader",
                                "refuse",
                                "increment",
                                0),
                        "tcp.protocolErrors at the end is 0, not 40"));
    }
}

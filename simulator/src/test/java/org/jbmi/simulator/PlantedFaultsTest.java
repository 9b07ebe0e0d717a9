package org.jbmi.simulator;

import org.jbmi.testsuite.fault.Planted;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.stream.Stream;

/** The simulator must find every fault that is planted, within six million steps. */
@Timeout(1800)
class PlantedFaultsTest {
    private static final String ENGINE = "org.jbmi.zbmi.engine.";
    private static final String ATTACH = "org.jbmi.zbmi.attach.";
    private static final String LINK = "org.jbmi.zbmi.link.";
    private static final String HOST = "org.jbmi.zbmi.host.";
    private static final String PORT = "org.jbmi.zbmi.host.port.";
    private static final String SOCKET = "org.jbmi.zbmi.socket.";
    private static final String GATEWAY = "org.jbmi.zbmi.daemon.gateway.";
    private static final String ZOID = "org.jbmi.zoid.";

    /** Of several kinds, for every build; the simulator finds them soon. */
    static Stream<Planted> some() {
        return Stream.of(
                Planted.body("cancel: void grants are claimed", LINK + "ShmClientLink", "claim", 1),
                Planted.body("order: unclaimed offers are forgotten", GRANTS, "hasUnclaimed", 0),
                Planted.body("death: the server never hears", LIFE, "endServerOperations", 0),
                Planted.body(
                        "direct: deadlines are nobody's", HOST + "DirectEngine", "planKeeper", 0),
                Planted.body("link: ends are not said", SOCKET + "LinkUnsaid", "end", 0));
    }

    private static final String POSTS = ENGINE + "ClientPosts";
    private static final String HANDOVERS = ENGINE + "HandOvers";
    private static final String GRANTS = ENGINE + "Grants";
    private static final String RETRIES = ZOID + "server.Retries";
    private static final String LIFE = ENGINE + "Lifecycle";

    static Stream<Planted> all() {
        return Stream.of(
                        some(),
                        ofSlowKinds().stream(),
                        more().stream(),
                        ofLinks().stream(),
                        ofLoans().stream(),
                        QueueFaults.all(),
                        ofDialling().stream(),
                        ofStanding().stream(),
                        ofStrangers().stream())
                .flatMap(each -> each);
    }

    /** Those of kinds that the simulator needs some seconds for. */
    private static List<Planted> ofSlowKinds() {
        return List.of(
                Planted.call(
                        "dialling: what came to nothing stays open",
                        "org.jbmi.zbmi.attach.HostDialer",
                        "tryConnect",
                        "closeQuietly",
                        0),
                Planted.call(
                        "hand-over: cancels are not looked at",
                        HANDOVERS,
                        "handOver",
                        "cancels",
                        0),
                Planted.unread(
                        "hand-over: whose receive is cancelled is cancelled too",
                        HANDOVERS,
                        "putBack",
                        "isUnwanted",
                        1),
                Planted.call(
                        "lending: a proof takes nothing back",
                        SESSIONS,
                        "provedDead",
                        "takeBack",
                        0));
    }

    private static List<Planted> ofLinks() {
        return List.of(
                Planted.call(
                        "link: recalled bytes are taken back without asking",
                        RELAY,
                        "recall",
                        "withdrawEager",
                        1),
                Planted.call("link: a claim that came too late moves", RELAY, "claim", "claim", 1),
                Planted.body(
                        "link: claims take all", GATEWAY + "RelayOperation", "isOfferOfAnother", 0),
                Planted.call("link: claims are not answered", RELAY, "miss", "answer", 0),
                Planted.body("link: a cursor stays", SOCKET + "OperationCursor", "advance", 0),
                Planted.call(
                        "gateway: sleeps are not announced",
                        GATEWAY + "GatewayRelay",
                        "prepareSleep",
                        "prepareSleep",
                        1),
                Planted.call(
                        "gateway: a lost client took its leave",
                        GATEWAY + "RemoteClient",
                        "closeRelay",
                        "clientLost",
                        0),
                Planted.call(
                        "gateway: a session outlives its client",
                        GATEWAY + "RemoteClient",
                        "closeRelay",
                        "close",
                        0));
    }

    private static List<Planted> ofDialling() {
        return List.of(
                Planted.call(
                        "dialling: taken before it is connected",
                        "org.jbmi.zbmi.attach.HostDialer",
                        "tryConnect",
                        "finishConnect",
                        1),
                Planted.body(
                        "dialling: who sleeps in the selector is not woken",
                        SOCKET + "SocketTransport",
                        "wakeSelector",
                        0),
                Planted.call(
                        "dialling: room for frames is not looked for",
                        SOCKET + "LinkStream",
                        "offer",
                        "room",
                        1000),
                Planted.call(
                        "dialling: a refusal loses its reason",
                        "org.jbmi.zbmi.protocol.handshake.Refused",
                        "asException",
                        "of",
                        0),
                Planted.call(
                        "attaching: free sessions are not seen",
                        SESSIONS,
                        "clientSession",
                        "mayAttachClient",
                        0),
                Planted.call(
                        "attaching: that no server is there is not seen",
                        SESSIONS,
                        "serverSession",
                        "mayAttachServer",
                        0),
                Planted.call(
                        "dialling: a lead elsewhere does not hear that room is wanted",
                        SOCKET + "SocketClientLink",
                        "flush",
                        "onLeadWanted",
                        0));
    }

    // What the library once did where a host stood still for long.
    private static List<Planted> ofStanding() {
        return List.of(
                Planted.call(
                        "standing: what finds no room in a lane is dropped",
                        LINK + "LaneSender",
                        "say",
                        "add",
                        1),
                Planted.body(
                        "standing: what is kept is not said later",
                        LINK + "LaneSender",
                        "sayUnsaid",
                        0),
                Planted.body(
                        "standing: deadlines that pass wait for answers",
                        ZOID + "server.MessageDoor",
                        "isOnlyTold",
                        0));
    }

    // Further mends of what strangers found, taken back.
    private static List<Planted> ofStrangers() {
        return List.of(
                Planted.unread(
                        "loss: a cancelled receive that is too small takes the message",
                        ENGINE + "Matcher",
                        "step",
                        "towardServer",
                        1),
                Planted.unread(
                        "shares: one client takes all unexpected memory",
                        ENGINE + "state.UnexpectedRegion",
                        "mayTakeChunk",
                        "heldChunks",
                        0),
                Planted.first(
                        "frees: who frees does the work of those who wait",
                        RETRIES,
                        "memoryFreed",
                        "serve"),
                Planted.twice(
                        "calls: one test call asks twice",
                        ZOID + "client.ClientSession",
                        "poll",
                        "ask"),
                Planted.body(
                        "ends: clients of a server that closed hear that it died",
                        ATTACH + "PeerSocket",
                        "isServerClosed",
                        0));
    }

    /** Those that need a heap that is full at times. */
    static Stream<Planted> inFullHeap() {
        return Stream.of(
                Planted.body(
                        "full heap: a post that is half sent has no outcome",
                        OPERATIONS,
                        "failed",
                        0),
                Planted.uncaught(
                        "full heap: an end without words keeps what it had",
                        ZOID + "common.SessionFailure",
                        "end"));
    }

    private static final String OPERATIONS = ZOID + "server.ServerOperations";

    private static List<Planted> ofLoans() {
        return List.of(
                Planted.body(
                        "lending: the end of the daemon ends nothing",
                        HOST + "DirectEngine",
                        "end",
                        0),
                Planted.call("lending: clients are not sent on", SESSIONS, "attach", "isLent", 0),
                Planted.call(
                        "lending: clients that waited stay", SESSIONS, "lend", "evictLater", 0),
                Planted.call(
                        "lending: clients that waited are cut off", SESSIONS, "evict", "how", 2),
                Planted.call(
                        "lending: who was sent away and says goodbye stays in quarantine",
                        SESSIONS,
                        "provedDead",
                        "addBySingleWriter",
                        0),
                Planted.call(
                        "lending: a goodbye takes nothing back", SESSIONS, "gone", "takeBack", 0));
    }

    private static final String SESSIONS = HOST + "SessionTable";
    private static final String RELAY = GATEWAY + "RelayRequests";

    private static List<Planted> more() {
        return List.of(
                Planted.body("no memory: nobody tries again", RETRIES, "memoryFreed", 0),
                Planted.body("credits: backlogs stay", PORT + "LanePort", "flush", 0),
                Planted.call(
                        "accepted: who was answered stays counted",
                        ZOID + "client.ClientOperations",
                        "onEvent",
                        "remove",
                        0),
                Planted.body(
                        "accepted: nothing is counted", ZOID + "client.CountedSends", "add", 0),
                Planted.call("kept: messages are not kept", POSTS, "keep", "keep", 0),
                Planted.call("kept: they pass older ones", POSTS, "append", "addLast", 0),
                Planted.body("kept: words stay", PORT + "SegmentPayload", "keeps", 0),
                Planted.body("lent: words stay", PORT + "SegmentPayload", "returned", 0),
                Planted.body(
                        "lent: sessions are given away", ENGINE + "state.LentSlots", "isAny", 0),
                Planted.call(
                        "lent: slots stay lent",
                        ENGINE + "Lifecycle",
                        "forgetOperations",
                        "forget",
                        0),
                Planted.call(
                        "data slots: none is given back",
                        ZOID + "client.ClientReplies",
                        "copySlot",
                        "releaseDataSlot",
                        0),
                Planted.call(
                        "data slots: nothing is copied", HANDOVERS, "publish", "fillDataSlot", 0),
                Planted.body(
                        "data slots: full ones are filled", ENGINE + "state.DataSlots", "next", 0),
                Planted.body(
                        "notes: tags are not shown", ENGINE + "state.WaitingSends", "update", 0),
                Planted.call(
                        "hand-over: sends that are over at once do not look at cancels",
                        HANDOVERS,
                        "handOverAtOnce",
                        "cancels",
                        0),
                Planted.body(
                        "freed: noted blocks are handed over to nobody",
                        HOST + "DirectEngine",
                        "takeFreed",
                        0),
                Planted.call(
                        "hand-over: cancels are not counted",
                        LINK + "ShmClientLink",
                        "countCancel",
                        "setLongVolatile",
                        0),
                Planted.call(
                        "hand-over: who cancels does not look again",
                        ZOID + "client.ClientCancels",
                        "cancelNoted",
                        "hearAll",
                        0),
                Planted.call(
                        "hand-over: what comes back is lost", HANDOVERS, "putBack", "prepend", 0),
                Planted.body(
                        "deadlines: grants are claimed after their time",
                        ZOID + "client.ClientReplies",
                        "isExpired",
                        0),
                Planted.call(
                        "hand-over: small receives get bytes", HANDOVERS, "mayHandOver", "fits", 1),
                Planted.call(
                        "hand-over: what has a deadline gets bytes whose time is over",
                        ZOID + "client.ClientPosts",
                        "encode",
                        "hasDeadline",
                        0),
                Planted.body("notes: words stay", PORT + "SegmentPayload", "sendTags", 0),
                Planted.body("notes: later sends go first", HOST + "EngineRound", "hearClient", 0),
                Planted.body(
                        "notes: what is withdrawn is not found",
                        ENGINE + "state.NotedReceives",
                        "find",
                        0),
                Planted.call(
                        "cancel: a withdrawn operation keeps its grant",
                        ENGINE + "Transfers",
                        "withdrawExpected",
                        "close",
                        0),
                Planted.body(
                        "cancel: withdrawn bytes are taken",
                        PORT + "SegmentPayload",
                        "takeEager",
                        1),
                Planted.call(
                        "cancel: a window is closed in the books only",
                        GRANTS,
                        "closeWindow",
                        "swapWindow",
                        1),
                Planted.body(
                        "cancel: bytes are taken back without asking",
                        LINK + "EagerSlots",
                        "withdraw",
                        1),
                Planted.call(
                        "order: unexpected messages pass offers",
                        ENGINE + "Unexpected",
                        "accept",
                        "hasUnclaimed",
                        0),
                Planted.body(
                        "order: later ones pass those without memory",
                        ZOID + "server.NoMemoryQueue",
                        "holds",
                        0),
                Planted.body(
                        "no memory: clients are not served",
                        ENGINE + "Unexpected",
                        "serveWaiting",
                        0),
                Planted.call(
                        "no memory: a key stays busy", ZOID + "server.Retries", "pass", "sent", 0),
                Planted.body(
                        "credits: chunks keep their owner",
                        ENGINE + "state.UnexpectedRegion",
                        "disown",
                        0),
                Planted.body(
                        "death: half messages are whole", ENGINE + "Unexpected", "doomMoving", 0),
                Planted.call(
                        "death: the proof is ignored",
                        HOST + "SessionTable",
                        "provedDead",
                        "clientProvedDead",
                        0),
                Planted.body(
                        "death: clients do not notice the daemon's",
                        ZOID + "client.ClientOperations",
                        "endAll",
                        0),
                Planted.body("wake-ups: nobody rings", LINK + "DoorbellRinger", "isWakeDue", 0),
                Planted.body("wake-ups: peers sleep on", LINK + "PeerSleep", "signal", 0),
                Planted.body("bytes: they are not copied", LINK + "GrantMover", "write", 1),
                Planted.body("counters: moves are not counted", OUTCOMES, "countMoved", 0),
                Planted.body(
                        "direct: who waits for an answer does not hear it",
                        HOST + "DirectOutput",
                        "answer",
                        0),
                Planted.body(
                        "direct: what is over is not said", HOST + "DirectOutput", "completion", 0),
                Planted.body("direct: the keeper never leads", HOST + "KeeperLead", "begin", 0),
                Planted.call(
                        "direct: asleep without a look",
                        HOST + "DirectEngine",
                        "rest",
                        "coolDown",
                        1),
                Planted.body(
                        "direct: nobody looks when a sleep is over",
                        HOST + "DirectEngine",
                        "endSleep",
                        0));
    }

    private static final String OUTCOMES = ENGINE + "Outcomes";

    @ParameterizedTest
    @MethodSource("some")
    void someOfEachKindAreFound(Planted fault) throws Exception {
        PlantedHunt.find(fault, "Simulation");
    }

    /** A method that was renamed leaves a fault without a place, and nobody would look for it. */
    @ParameterizedTest
    @MethodSource({"all", "inFullHeap"})
    void eachHasItsPlace(Planted fault) {
        fault.checkPlace(PlantedFaultsTest.class.getClassLoader());
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("all")
    void allAreFound(Planted fault) throws Exception {
        PlantedHunt.find(fault, "Simulation");
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("inFullHeap")
    void thoseOfAFullHeapAreFound(Planted fault) throws Exception {
        PlantedHunt.find(fault, "FullHeap");
    }
}

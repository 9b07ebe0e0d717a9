package org.jbmi.rig.perf.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.rig.perf.phase.Meter;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WaitMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/** The thread of a server that nobody measures just now. */
@Timeout(30)
class ServerLoopTest {
    private static final long LOOK_NS = 100_000;
    private static final int MESSAGES = 3;
    private static final Phase STREAM =
            new Phase(
                    Pattern.STREAM,
                    Long.BYTES,
                    MESSAGES,
                    0,
                    0,
                    0,
                    new Phase.Options(false, false, true, false));

    private static final Phase PINGPONG =
            new Phase(Pattern.PINGPONG, Long.BYTES, 1, 0, 0, 0, Phase.Options.NONE);

    private static final int CLIENTS = 20;

    /** In some of so many rounds, a spinning thread looks for everything. */
    private static final int MANY_ROUNDS = 200;

    /** No request of the protocol. */
    private static final int UNKNOWN = 99;

    /** Opening and closing it takes far longer than taking a message. */
    private static final Phase AMONG_MANY =
            new Phase(Pattern.RPC, Long.BYTES, 1, 5_000, 0, 0, Phase.Options.NONE);

    // Else it takes the processor from whoever is measured in turns with it.
    @ParameterizedTest
    @EnumSource(WaitMode.class)
    void aServerRestsWhileNobodyMeasures(WaitMode wait) throws Exception {
        BmiBuilder builder = Bmi.builder().listen("loopback://quiet-" + wait);
        wait.knobs().forEach(builder::knob);
        try (Bmi bmi = builder.open()) {
            ServerFlows flows = new ServerFlows();
            Thread thread =
                    Thread.ofPlatform()
                            .daemon()
                            .start(new ServerLoop(bmi, wait, flows, new Meter(bmi)));
            try {
                while (thread.getState() != Thread.State.TIMED_WAITING) {
                    LockSupport.parkNanos(LOOK_NS);
                    assertThat(Thread.interrupted()).as("the watchdog's interrupt").isFalse();
                }
            } finally {
                flows.stop();
                thread.join();
            }
        }
    }

    // With many clients it would be more than the messages.
    @Test
    void whatAServerAgreesWithItsClientsIsNoCostOfMessages() {
        String address = "loopback://costs";
        LoopbackHub hub = new LoopbackHub();
        try (Arena arena = Arena.ofShared();
                Bmi bmi = Bmi.builder().attach(LoopbackHub.class, hub).listen(address).open();
                Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
            Meter meter = new Meter(bmi);
            meter.watchThisThread();
            ServerLoop loop = new ServerLoop(bmi, WaitMode.SPIN, new ServerFlows(), meter);
            Client talk = new Client(client, client.lookup(address), arena);
            Meter.Reading first = talk.converse(loop, 0, PhaseProtocol.OPEN, AMONG_MANY, 0);
            long spent = -meter.ownNs();
            for (int flow = 1; flow < CLIENTS; flow++) {
                talk.converse(loop, flow, PhaseProtocol.OPEN, AMONG_MANY, 0);
            }
            for (int flow = 1; flow < CLIENTS; flow++) {
                talk.converse(loop, flow, PhaseProtocol.END, AMONG_MANY, 0);
            }
            spent += meter.ownNs();
            Meter.Reading last = talk.converse(loop, 0, PhaseProtocol.END, AMONG_MANY, 0);
            assertThat(last.minus(first).threadNs()).as("of %d ns", spent).isBetween(0L, spent / 2);
        }
    }

    /** What a client agrees with a server that runs in the same thread. */
    private record Client(Bmi bmi, CompletionContext context, PeerAddress server, Arena arena) {
        Client(Bmi bmi, PeerAddress server, Arena arena) {
            this(bmi, bmi.openContext(), server, arena);
        }

        Meter.Reading converse(ServerLoop loop, int flow, int what, Phase phase, int sent) {
            return PhaseProtocol.reading(ask(loop, flow, what, phase, sent));
        }

        /** Sends an expected message there and back, in a phase of its own. */
        void exchange(ServerLoop loop) {
            converse(loop, 0, PhaseProtocol.OPEN, PINGPONG, 0);
            MemorySegment message = arena.allocate(PINGPONG.bytes());
            int tag = PhaseProtocol.dataTag(0, 0);
            long receive = context.postReceive(server, message, tag);
            Refusals.check(receive);
            Refusals.check(context.postSend(server, message, tag));
            await(loop, receive, MANY_ROUNDS);
            converse(loop, 0, PhaseProtocol.END, PINGPONG, 1);
        }

        MemorySegment ask(ServerLoop loop, int flow, int what, Phase phase, int sent) {
            MemorySegment request = arena.allocate(PhaseProtocol.BYTES, Long.BYTES);
            MemorySegment answer = arena.allocate(PhaseProtocol.BYTES, Long.BYTES);
            int tag = PhaseProtocol.controlTag(flow);
            long receive = context.postReceive(server, answer, tag);
            Refusals.check(receive);
            PhaseProtocol.ask(request, what, phase, sent);
            Refusals.check(context.postSendUnexpected(server, request, tag));
            // A spinning thread that takes expected messages seldom looks for others.
            await(loop, receive, phase.hasExpectedRequests() ? MANY_ROUNDS : 1);
            return answer;
        }

        private void await(ServerLoop loop, long receive, int mostRounds) {
            Completions done = Completions.ofCapacity(1);
            int count = 0;
            for (int round = 0; count == 0 && round < mostRounds; round++) {
                loop.round();
                count = context.test(receive, done, 0);
            }
            assertThat(count).isOne();
            assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        }
    }

    // Nothing else tells the server of calls that a client is gone; its flow would stay for ever.
    @ParameterizedTest
    @EnumSource(names = {"RPC", "CALL", "FORWARD"})
    void aClientThatDiesDoesNotKeepTheServerFromOthers(Pattern pattern) {
        String address = "loopback://dies";
        Phase phase = new Phase(pattern, Long.BYTES, 1, 0, 0, 0, Phase.Options.NONE);
        LoopbackHub hub = new LoopbackHub();
        try (Arena arena = Arena.ofShared();
                Bmi bmi = Bmi.builder().attach(LoopbackHub.class, hub).listen(address).open();
                Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
            ServerFlows flows = new ServerFlows();
            ServerLoop loop = new ServerLoop(bmi, WaitMode.SPIN, flows, new Meter(bmi));
            Client talk = new Client(client, client.lookup(address), arena);
            try (Bmi dying = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
                Client other = new Client(dying, dying.lookup(address), arena);
                other.converse(loop, 0, PhaseProtocol.OPEN, phase, 0);
                talk.exchange(loop);
            }
            talk.exchange(loop);
            for (int i = 0; i < MANY_ROUNDS; i++) {
                loop.round();
            }
            assertThat(flows.isQuiet()).isTrue();
            flows.closeCalls();
        }
    }

    // Such as a client that was told too late that its phase had begun.
    @Test
    void aFlowThatAnotherThreadBeginsAgainEndsWithItsClient() {
        String address = "loopback://again";
        LoopbackHub hub = new LoopbackHub();
        try (Arena arena = Arena.ofShared();
                Bmi bmi = Bmi.builder().attach(LoopbackHub.class, hub).listen(address).open()) {
            ServerFlows flows = new ServerFlows();
            ServerLoop first = new ServerLoop(bmi, WaitMode.SPIN, flows, new Meter(bmi));
            ServerLoop second = new ServerLoop(bmi, WaitMode.SPIN, flows, new Meter(bmi));
            try (Bmi dying = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
                Client talk = new Client(dying, dying.lookup(address), arena);
                talk.converse(first, 0, PhaseProtocol.OPEN, STREAM, 0);
                talk.converse(second, 0, PhaseProtocol.OPEN, STREAM, 0);
            }
            for (int i = 0; i < MANY_ROUNDS; i++) {
                first.round();
                second.round();
            }
            assertThat(flows.isQuiet()).isTrue();
            assertThat(bmi.pendingOperations(Integer.MAX_VALUE)).isEmpty();
        }
    }

    // They would fill the server while their client lives.
    @Test
    void aPhaseThatIsRefusedLeavesNoReceives() {
        String address = "loopback://many";
        Phase many = new Phase(Pattern.RPC, Long.BYTES, 1, 200, 0, 0, Phase.Options.NONE);
        LoopbackHub hub = new LoopbackHub();
        try (Arena arena = Arena.ofShared();
                Bmi bmi =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen(address)
                                .knob("bmi.maxOperations", "100")
                                .open();
                Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
            ServerLoop loop = new ServerLoop(bmi, WaitMode.SPIN, new ServerFlows(), new Meter(bmi));
            Client talk = new Client(client, client.lookup(address), arena);
            MemorySegment answer = talk.ask(loop, 0, PhaseProtocol.OPEN, many, 0);
            assertThat(PhaseProtocol.refusal(answer)).isNegative();
            assertThat(bmi.pendingOperations(Integer.MAX_VALUE)).isEmpty();
        }
    }

    // A thread that sleeps while it waits would answer only when its idle time is over.
    @Test
    void anEndThatComesWithTheLastMessagesIsAnsweredAtOnce() {
        String address = "loopback://ends";
        LoopbackHub hub = new LoopbackHub();
        try (Arena arena = Arena.ofShared();
                Bmi bmi = Bmi.builder().attach(LoopbackHub.class, hub).listen(address).open();
                Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
            ServerLoop loop = new ServerLoop(bmi, WaitMode.SPIN, new ServerFlows(), new Meter(bmi));
            Client talk = new Client(client, client.lookup(address), arena);
            talk.converse(loop, 0, PhaseProtocol.OPEN, STREAM, 0);
            MemorySegment message = arena.allocate(STREAM.bytes());
            for (int i = 0; i < MESSAGES; i++) {
                talk.context.postSendUnexpected(talk.server, message, PhaseProtocol.dataTag(0, 0));
            }
            talk.converse(loop, 0, PhaseProtocol.END, STREAM, MESSAGES);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "true, 8, 0 1 2, 0",
        "true, 8, 0 0, 1",
        "true, 100, 0 0, 1",
        "true, 1, 0 1 1, 1",
        "false, 8, 0 1 2, 0",
        "false, 8, 0 0, 1",
        "false, 100, 1 0, 2",
        "false, 1, 0 0, 1"
    })
    void aMessageOfAStreamThatComesTwiceIsWrong(
            boolean isUnexpected, int bytes, String seeds, long wrong) {
        String address = "loopback://twice";
        Phase phase =
                new Phase(
                        Pattern.STREAM,
                        bytes,
                        MESSAGES,
                        0,
                        0,
                        0,
                        new Phase.Options(true, false, isUnexpected, false));
        LoopbackHub hub = new LoopbackHub();
        try (Arena arena = Arena.ofShared();
                Bmi bmi = Bmi.builder().attach(LoopbackHub.class, hub).listen(address).open();
                Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
            ServerLoop loop = new ServerLoop(bmi, WaitMode.SPIN, new ServerFlows(), new Meter(bmi));
            Client talk = new Client(client, client.lookup(address), arena);
            talk.converse(loop, 0, PhaseProtocol.OPEN, phase, 0);
            String[] each = seeds.split(" ");
            int tag = PhaseProtocol.dataTag(0, 0);
            for (String seed : each) {
                MemorySegment message = arena.allocate(bytes);
                Contents.fill(message, Long.parseLong(seed));
                Refusals.check(
                        isUnexpected
                                ? talk.context.postSendUnexpected(talk.server, message, tag)
                                : talk.context.postSend(talk.server, message, tag));
            }
            loop.round();
            MemorySegment answer = talk.ask(loop, 0, PhaseProtocol.END, phase, each.length);
            assertThat(PhaseProtocol.wrong(answer)).isEqualTo(wrong);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "8, 0", "8, 70000"})
    void aWrongRequestIsRefusedAndTheServerGoesOn(int bytes, int outstanding) {
        String address = "loopback://wrong";
        Phase wrong = new Phase(Pattern.RPC, bytes, outstanding, 0, 0, 0, Phase.Options.NONE);
        LoopbackHub hub = new LoopbackHub();
        try (Arena arena = Arena.ofShared();
                Bmi bmi = Bmi.builder().attach(LoopbackHub.class, hub).listen(address).open();
                Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
            ServerLoop loop = new ServerLoop(bmi, WaitMode.SPIN, new ServerFlows(), new Meter(bmi));
            Client talk = new Client(client, client.lookup(address), arena);
            MemorySegment answer = talk.ask(loop, 0, PhaseProtocol.OPEN, wrong, 0);
            assertThat(PhaseProtocol.refusal(answer)).isEqualTo(ErrorCode.EINVAL.negativeValue());
            answer = talk.ask(loop, 0, PhaseProtocol.OPEN, STREAM, 0);
            assertThat(PhaseProtocol.refusal(answer)).isZero();
        }
    }

    // A client of another version may send it.
    @Test
    void aRequestOfAnotherKindDoesNotEndAPhase() {
        String address = "loopback://kinds";
        LoopbackHub hub = new LoopbackHub();
        try (Arena arena = Arena.ofShared();
                Bmi bmi = Bmi.builder().attach(LoopbackHub.class, hub).listen(address).open();
                Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
            ServerLoop loop = new ServerLoop(bmi, WaitMode.SPIN, new ServerFlows(), new Meter(bmi));
            Client talk = new Client(client, client.lookup(address), arena);
            talk.converse(loop, 0, PhaseProtocol.OPEN, STREAM, 0);
            MemorySegment request = arena.allocate(PhaseProtocol.BYTES, Long.BYTES);
            PhaseProtocol.ask(request, UNKNOWN, STREAM, 0);
            int tag = PhaseProtocol.controlTag(0);
            Refusals.check(talk.context.postSendUnexpected(talk.server, request, tag));
            loop.round();
            talk.converse(loop, 0, PhaseProtocol.READ, STREAM, 0);
            talk.converse(loop, 0, PhaseProtocol.READ, STREAM, 0);
        }
    }

    // It hears of the end that another thread has taken only when its own wait is over.
    @Test
    void theOwnerOfAStreamDoesNotWaitLongBesideAnotherThread() {
        String address = "loopback://owner";
        LoopbackHub hub = new LoopbackHub();
        try (Arena arena = Arena.ofShared();
                Bmi bmi = Bmi.builder().attach(LoopbackHub.class, hub).listen(address).open();
                Bmi client = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
            ServerFlows flows = new ServerFlows();
            ServerLoop owner = new ServerLoop(bmi, WaitMode.BLOCK, flows, new Meter(bmi));
            Client talk = new Client(client, client.lookup(address), arena);
            talk.converse(owner, 0, PhaseProtocol.OPEN, STREAM, 0);
            assertThat(owner.idleMs()).isEqualTo(WaitMode.BLOCK.idleMs());
            ServerLoop other = new ServerLoop(bmi, WaitMode.BLOCK, flows, new Meter(bmi));
            assertThat(owner.idleMs()).isOne();
            assertThat(other.idleMs()).isEqualTo(WaitMode.BLOCK.idleMs());
        }
    }
}

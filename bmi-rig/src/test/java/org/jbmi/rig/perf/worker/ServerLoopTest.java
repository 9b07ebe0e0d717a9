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
                    new Phase.Options(false, false, true));

    private static final int CLIENTS = 20;

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
            MemorySegment request = arena.allocate(PhaseProtocol.BYTES, Long.BYTES);
            MemorySegment answer = arena.allocate(PhaseProtocol.BYTES, Long.BYTES);
            int tag = PhaseProtocol.controlTag(flow);
            long receive = context.postReceive(server, answer, tag);
            Refusals.check(receive);
            PhaseProtocol.ask(request, what, phase, sent);
            Refusals.check(context.postSendUnexpected(server, request, tag));
            loop.round();
            Completions done = Completions.ofCapacity(1);
            assertThat(context.test(receive, done, 0)).isOne();
            assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
            return PhaseProtocol.reading(answer);
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
}

package org.jbmi.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.spi.AllocationTracking;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A member whose core is the test. */
@Timeout(30)
class MemberTest {
    private final LoopbackHub hub = new LoopbackHub();

    /** A core that keeps what it is told. */
    static class Host implements MethodHost {
        final List<Integer> outcomes = new ArrayList<>();
        private final Configuration configuration;
        private final Counters counters = Counters.inMemory();

        Host() {
            List<Knob<?>> knobs = new ArrayList<>(LoopbackKnobs.all());
            knobs.add(AllocationTracking.KNOB);
            configuration = Configuration.resolve(knobs, Map.of());
        }

        @Override
        public void complete(Operation operation, int error, long sizeBytes) {
            outcomes.add(error);
        }

        @Override
        public void deliverUnexpected(
                MethodAddress from,
                int tag,
                int messageClass,
                ErrorCode outcome,
                MemorySegment memory,
                long offset,
                long sizeBytes,
                long token) {
            delivered(token);
        }

        void delivered(long token) {}

        @Override
        public void peerFailed(MethodAddress address, int error) {}

        @Override
        public void wake() {}

        @Override
        public Configuration configuration() {
            return configuration;
        }

        @Override
        public Counters counters() {
            return counters;
        }

        @Override
        public <T> @Nullable T attachment(Class<T> type) {
            return null;
        }
    }

    /** An operation with one buffer. */
    private static final class Posted extends Operation {
        Posted(OperationKind kind, @Nullable MethodAddress address, MemorySegment buffer) {
            this.id = 1;
            this.kind = kind;
            this.address = address;
            this.buffer = buffer;
            this.bufferCount = 1;
            this.sizeBytes = buffer.byteSize();
        }

        /** One with many buffers of a byte each. */
        Posted(OperationKind kind, MethodAddress address, int count) {
            this(kind, address, MemorySegment.ofArray(new byte[1]));
            list = new MemorySegment[count];
            Arrays.fill(list, buffer);
            buffer = null;
            bufferCount = count;
            sizeBytes = count;
        }
    }

    /** A cancel, and the close of a sender, find a member that has operations by its name. */
    @Test
    void aNameIsFreeWhenTheOperationsOfItsMemberHaveEnded() {
        LoopbackMethod first = LoopbackMethod.open(new Host(), hub, List.of("loopback://p"));
        Host host =
                new Host() {
                    @Override
                    public void complete(Operation operation, int error, long sizeBytes) {
                        super.complete(operation, error, sizeBytes);
                        assertThat(hub.find("p")).isSameAs(first);
                        assertThat(hub.member(0)).isSameAs(first);
                    }
                };
        LoopbackMethod sender = LoopbackMethod.open(host, hub, List.of());
        Operation send =
                new Posted(
                        OperationKind.SEND,
                        sender.lookup("loopback://p"),
                        MemorySegment.ofArray(new byte[8]));
        assertThat(sender.post(send)).isEqualTo(Method.PENDING);
        first.close();
        assertThat(host.outcomes).containsExactly(ErrorCode.EPIPE.negativeValue());
        assertThat(hub.find("p")).isNull();
        sender.close();
        assertThat(hub.memberCount()).isZero();
    }

    /** With a full heap the first use of a class fails, and not for want of memory alone. */
    @Test
    void aMemberWhoseCoreFailsDoesNotKeepTheEndFromTheNext() {
        List<String> told = new ArrayList<>();
        LoopbackMethod closing = LoopbackMethod.open(new Host(), hub, List.of());
        List<LoopbackMethod> servers = new ArrayList<>();
        for (String name : List.of("loopback://p", "loopback://q")) {
            Host host =
                    new Host() {
                        @Override
                        public void peerFailed(MethodAddress address, int error) {
                            told.add(name);
                            throw new NoClassDefFoundError("played");
                        }
                    };
            servers.add(LoopbackMethod.open(host, hub, List.of(name)));
            assertThat(closing.post(unexpected(closing, name, 8))).isEqualTo(8);
        }
        closing.close();
        assertThat(told).containsExactly("loopback://p", "loopback://q");
        servers.forEach(LoopbackMethod::close);
        assertThat(hub.memberCount()).isZero();
    }

    /** So that no thread waits for the lock meanwhile. */
    @Test
    void aShortMessageOfManyBuffersIsCopiedWithoutTheLock() {
        List<Integer> states = new ArrayList<>();
        Host host =
                new Host() {
                    @Override
                    public void complete(Operation operation, int error, long sizeBytes) {
                        super.complete(operation, error, sizeBytes);
                        states.add(operation.methodState());
                    }
                };
        LoopbackMethod receiver = LoopbackMethod.open(host, hub, List.of("loopback://r"));
        LoopbackMethod sender = LoopbackMethod.open(host, hub, List.of("loopback://s"));
        MethodAddress toReceiver = sender.lookup("loopback://r");
        MethodAddress toSender = receiver.lookup("loopback://s");
        MemorySegment message = MemorySegment.ofArray(new byte[33]);

        assertThat(receiver.post(new Posted(OperationKind.RECEIVE, toSender, 33)))
                .isEqualTo(Method.PENDING);
        assertThat(sender.sendAtOnce(toReceiver, message, 0)).isEqualTo(Method.PENDING);
        assertThat(sender.post(new Posted(OperationKind.SEND, toReceiver, message))).isEqualTo(33);
        assertThat(sender.post(new Posted(OperationKind.SEND, toReceiver, 33)))
                .isEqualTo(Method.PENDING);
        assertThat(receiver.post(new Posted(OperationKind.RECEIVE, toSender, message)))
                .isEqualTo(33);
        assertThat(states).containsExactly(Inbox.GRANTED, Inbox.GRANTED);

        assertThat(receiver.post(new Posted(OperationKind.RECEIVE, toSender, 32)))
                .isEqualTo(Method.PENDING);
        assertThat(sender.sendAtOnce(toReceiver, message.asSlice(0, 32), 0)).isEqualTo(32);
        sender.close();
        receiver.close();
    }

    @Test
    void aPostThatFailsPinsNothing() {
        LoopbackMethod member = LoopbackMethod.open(new Host(), hub, List.of());
        MemorySegment memory = member.memalloc(64);
        Operation unusable = new Posted(OperationKind.SEND, null, memory);
        assertThatThrownBy(() -> member.post(unusable)).isInstanceOf(IllegalStateException.class);
        assertThat(member.memfree(memory)).isZero();
        member.close();
    }

    /** A core that has no memory for a message where a test wants that. */
    private static final class FullHost extends Host {
        final List<Long> tokens = new ArrayList<>();
        boolean fails;

        @Override
        void delivered(long token) {
            if (fails) {
                fails = false;
                throw new OutOfMemoryError("planted");
            }
            tokens.add(token);
        }
    }

    private static Operation unexpected(LoopbackMethod sender, int sizeBytes) {
        return unexpected(sender, "loopback://p", sizeBytes);
    }

    private static Operation unexpected(LoopbackMethod sender, String to, int sizeBytes) {
        return new Posted(
                OperationKind.SEND_UNEXPECTED,
                sender.lookup(to),
                MemorySegment.ofArray(new byte[sizeBytes]));
    }

    @Test
    void aMessageThatCannotBeDeliveredHoldsNoMemory() {
        FullHost host = new FullHost();
        LoopbackMethod receiver = LoopbackMethod.open(host, hub, List.of("loopback://p"));
        LoopbackMethod sender = LoopbackMethod.open(new Host(), hub, List.of());
        Operation send = unexpected(sender, 8);
        Counter held = host.counters().find("loopback.unexpectedHeldBytes");
        host.fails = true;
        assertThat(sender.post(send)).isEqualTo(ErrorCode.ENOMEM.negativeValue());
        assertThat(held.get()).isZero();
        assertThat(sender.post(send)).isEqualTo(8);
        assertThat(held.get()).isPositive();
        sender.close();
        receiver.close();
    }

    @Test
    void aWaitingMessageThatCannotBeDeliveredEndsAndBlocksNobody() {
        FullHost host = new FullHost();
        Host ofSender = new Host();
        LoopbackMethod receiver = LoopbackMethod.open(host, hub, List.of("loopback://p"));
        LoopbackMethod sender = LoopbackMethod.open(ofSender, hub, List.of());
        while (sender.post(unexpected(sender, 8192)) != Method.PENDING) {} // the last one waits
        host.fails = true;
        receiver.unexpectedFree(host.tokens.removeFirst());
        assertThat(ofSender.outcomes).containsExactly(ErrorCode.ENOMEM.negativeValue());
        assertThat(sender.post(unexpected(sender, 8192))).isEqualTo(8192);
        sender.close();
        receiver.close();
    }

    @Test
    void theCloseOfASenderLetsTheOneBehindItPass() {
        assertThat(closeBeforeASmallMessage(new FullHost(), false)).containsExactly(0);
    }

    @Test
    void aCloseEndsItsOperationsThoughAMessageOfAnotherCannotBeDelivered() {
        assertThat(closeBeforeASmallMessage(new FullHost(), true))
                .containsExactly(ErrorCode.ENOMEM.negativeValue());
    }

    /**
     * Closes a member that waits for more room than there is.
     *
     * @param fails whether the core has no memory for the message behind, which fits
     * @return the outcomes of the sender of that message
     */
    private List<Integer> closeBeforeASmallMessage(FullHost host, boolean fails) {
        Host ofLeaving = new Host();
        Host ofStaying = new Host();
        LoopbackMethod receiver = LoopbackMethod.open(host, hub, List.of("loopback://p"));
        LoopbackMethod first = LoopbackMethod.open(new Host(), hub, List.of());
        LoopbackMethod second = LoopbackMethod.open(new Host(), hub, List.of());
        LoopbackMethod leaving = LoopbackMethod.open(ofLeaving, hub, List.of());
        LoopbackMethod staying = LoopbackMethod.open(ofStaying, hub, List.of());
        while (first.post(unexpected(first, 8192)) != Method.PENDING) {}
        assertThat(second.post(unexpected(second, 4096))).isEqualTo(4096);
        assertThat(leaving.post(unexpected(leaving, 8192))).isEqualTo(Method.PENDING);
        assertThat(staying.post(unexpected(staying, 64))).isEqualTo(Method.PENDING);
        host.fails = fails;
        leaving.close();
        assertThat(ofLeaving.outcomes).containsExactly(ErrorCode.ECANCEL.negativeValue());
        List<Integer> outcomes = List.copyOf(ofStaying.outcomes);
        List.of(first, second, staying, receiver).forEach(LoopbackMethod::close);
        assertThat(hub.memberCount()).isZero();
        return outcomes;
    }
}

package org.jbmi.tools.tcp;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/**
 * Sends messages back. It answers an unexpected message with an expected one that has its bytes and
 * tag. A message of class 1 contains a length; it announces an expected message of that length and
 * tag, which the server receives and sends back with the same tag. It answers an impossible length
 * with an expected message of 0 bytes.
 */
final class EchoServer {
    private static final int BATCH = 64;
    private static final long IDLE_MS = 500;

    /** The memory for the messages of one peer; beyond it the server drops the peer. */
    private static final long MAX_PEER_BYTES = 256L << 20;

    /** The memory of an answer besides its bytes. */
    private static final long ANSWER_BYTES = 4096;

    private static final ValueLayout.OfLong LENGTH =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private record Echo(PeerAddress peer, int tag, MemorySegment memory, boolean isReceive) {}

    private final Bmi bmi;
    private final CompletionContext context;
    private final DialectOption dialect;
    private final long maxExpectedBytes;
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(BATCH);
    private final Completions done = Completions.ofCapacity(BATCH);
    private final Map<PeerAddress, Long> movingBytes = new HashMap<>();
    private volatile boolean stopped;

    EchoServer(Bmi bmi, CompletionContext context, DialectOption dialect) {
        this.bmi = bmi;
        this.context = context;
        this.dialect = dialect;
        this.maxExpectedBytes = bmi.getOption(Options.MAX_EXPECTED_BYTES);
    }

    void stop() {
        stopped = true;
    }

    /** Serves until {@link #stop}. */
    void run() {
        try (UnexpectedListener all = bmi.openListener(UnexpectedFilter.ALL)) {
            while (!stopped) {
                int count = context.testContext(done, IDLE_MS);
                for (int i = 0; i < count; i++) {
                    completed(
                            (Echo) done.userData(i),
                            done.outcome(i).negativeValue(),
                            done.sizeBytes(i));
                }
                serve(all);
            }
        }
    }

    private void serve(UnexpectedListener all) {
        int count = all.test(messages, 0);
        for (int i = 0; i < count; i++) {
            if (messages.outcome(i).isSuccess()) {
                answer(i);
            }
            messages.free(i);
        }
    }

    private void answer(int i) {
        PeerAddress peer = messages.peer(i);
        int tag = messages.tag(i);
        MemorySegment payload = messages.payload(i);
        if (dialect.isAnnouncement(messages.messageClass(i), tag)) {
            long length = payload.byteSize() < Long.BYTES ? -1 : payload.get(LENGTH, 0);
            if (length >= 0 && length <= maxExpectedBytes) {
                receive(peer, tag, length);
            } else {
                send(peer, tag, memory(0));
            }
        } else {
            MemorySegment copy = memory(payload.byteSize());
            copy.copyFrom(payload);
            send(peer, tag, copy);
        }
    }

    private static MemorySegment memory(long sizeBytes) {
        return Arena.ofAuto().allocate(Math.max(1, sizeBytes)).asSlice(0, sizeBytes);
    }

    private void receive(PeerAddress peer, int tag, long length) {
        Echo echo = new Echo(peer, tag, memory(length), true);
        if (isBearable(echo)) {
            begun(echo, context.postReceive(peer, echo.memory(), tag, echo, PostOptions.NONE));
        }
    }

    private void send(PeerAddress peer, int tag, MemorySegment memory) {
        Echo echo = new Echo(peer, tag, memory, false);
        if (isBearable(echo)) {
            begun(echo, context.postSend(peer, memory, tag, echo, PostOptions.NONE));
        }
    }

    /** Counts a message for its peer; drops a peer that does not read. */
    private boolean isBearable(Echo echo) {
        long bytes = echo.memory().byteSize() + ANSWER_BYTES;
        if (movingBytes.merge(echo.peer(), bytes, Long::sum) <= MAX_PEER_BYTES) {
            return true;
        }
        ended(echo);
        try {
            echo.peer().drop();
        } catch (BmiException e) {
            System.getLogger("org.jbmi.tools").log(System.Logger.Level.DEBUG, "gone already", e);
        }
        return false;
    }

    private void ended(Echo echo) {
        long bytes = echo.memory().byteSize() + ANSWER_BYTES;
        movingBytes.computeIfPresent(
                echo.peer(), (peer, held) -> held <= bytes ? null : Long.valueOf(held - bytes));
    }

    private void begun(Echo echo, long result) {
        if (PostResult.isPending(result)) {
            return;
        }
        int error = result < 0 ? (int) result : 0;
        completed(echo, error, error == 0 ? result : 0);
    }

    /** Answers, unless the peer has gone in between. */
    private void completed(@Nullable Echo echo, int error, long sizeBytes) {
        if (echo != null) {
            ended(echo);
            if (echo.isReceive() && error == 0) {
                send(echo.peer(), echo.tag(), echo.memory().asSlice(0, sizeBytes));
            }
        }
    }
}

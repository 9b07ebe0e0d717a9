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
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/**
 * Sends messages back. It answers an unexpected message with an expected one that has its bytes and
 * tag. A message of class 1 contains a length. It announces an expected message of that length and
 * tag, which the server receives and sends back with the same tag. It answers an impossible length
 * with an expected message of 0 bytes. A peer that holds too much memory is dropped, so that no
 * peers end the server.
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

    /** What each peer holds that was not dropped. */
    private final Map<PeerAddress, Long> movingBytes = new HashMap<>();

    private final long maxAllBytes;

    /** The sum of {@link #movingBytes}. */
    private long allBytes;

    private volatile boolean stopped;

    /**
     * Makes a server.
     *
     * @param bmi listens; the caller closes it
     * @param context of this server alone
     * @param dialect of the peers
     * @param maxAllBytes the memory for the messages of all peers; beyond it the server drops the
     *     peer that holds the most
     */
    EchoServer(Bmi bmi, CompletionContext context, DialectOption dialect, long maxAllBytes) {
        this.bmi = bmi;
        this.context = context;
        this.dialect = dialect;
        this.maxAllBytes = maxAllBytes;
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
                try {
                    answer(i);
                } catch (OutOfMemoryError e) {
                    drop(messages.peer(i)); // its messages are too many; the other peers go on
                }
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
                if (isBearable(peer, length)) {
                    receive(new Echo(peer, tag, memory(length), true));
                }
            } else if (isBearable(peer, 0)) {
                send(new Echo(peer, tag, memory(0), false));
            }
        } else if (isBearable(peer, payload.byteSize())) {
            MemorySegment copy = memory(payload.byteSize());
            copy.copyFrom(payload);
            send(new Echo(peer, tag, copy, false));
        }
    }

    private static MemorySegment memory(long sizeBytes) {
        return Arena.ofAuto().allocate(Math.max(1, sizeBytes)).asSlice(0, sizeBytes);
    }

    private void receive(Echo echo) {
        begun(
                echo,
                context.postReceive(
                        echo.peer(), echo.memory(), echo.tag(), echo, PostOptions.NONE));
    }

    private void send(Echo echo) {
        begun(
                echo,
                context.postSend(echo.peer(), echo.memory(), echo.tag(), echo, PostOptions.NONE));
    }

    /**
     * Counts a message for its peer, before there is memory for it. Drops a peer that does not
     * read; and if all peers together hold too much, the one that holds the most.
     */
    private boolean isBearable(PeerAddress peer, long sizeBytes) {
        long bytes = sizeBytes + ANSWER_BYTES;
        allBytes += bytes;
        if (movingBytes.merge(peer, bytes, Long::sum) > MAX_PEER_BYTES) {
            drop(peer);
        } else if (allBytes > maxAllBytes) {
            drop(greediest());
        }
        return movingBytes.containsKey(peer);
    }

    private PeerAddress greediest() {
        return Collections.max(movingBytes.entrySet(), Map.Entry.comparingByValue()).getKey();
    }

    /** Ends the operations of a peer; their memory does not count any more. */
    private void drop(PeerAddress peer) {
        Long held = movingBytes.remove(peer);
        allBytes -= held == null ? 0 : held;
        try {
            peer.drop();
        } catch (BmiException e) {
            System.getLogger("org.jbmi.tools").log(System.Logger.Level.DEBUG, "gone already", e);
        }
    }

    private void ended(Echo echo) {
        Long held = movingBytes.get(echo.peer());
        if (held == null) {
            return; // dropped
        }
        long bytes = Math.min(held, echo.memory().byteSize() + ANSWER_BYTES);
        allBytes -= bytes;
        if (held == bytes) {
            movingBytes.remove(echo.peer());
        } else {
            movingBytes.put(echo.peer(), held - bytes);
        }
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
            if (echo.isReceive() && error == 0 && isBearable(echo.peer(), sizeBytes)) {
                MemorySegment received = echo.memory().asSlice(0, sizeBytes);
                send(new Echo(echo.peer(), echo.tag(), received, false));
            }
        }
    }
}

package org.jbmi.tools.tcp;

import org.jbmi.Bmi;
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

/**
 * Sends back what it gets. An unexpected message is answered by an expected one with its bytes and
 * its tag. One of class 1 holds a length and announces an expected message of that length with the
 * same tag, which is received and sent back with that tag; a length that cannot be is answered by
 * an expected message of 0 bytes.
 */
final class EchoServer {
    private static final int BATCH = 64;
    private static final long IDLE_MS = 500;

    /** Announced messages that are on their way take no more memory than this together. */
    private static final long MAX_MOVING_BYTES = 256L << 20;

    private static final ValueLayout.OfLong LENGTH =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private record Echo(PeerAddress peer, int tag, MemorySegment memory, boolean isReceive) {}

    private final Bmi bmi;
    private final CompletionContext context;
    private final DialectOption dialect;
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(BATCH);
    private final Completions done = Completions.ofCapacity(BATCH);
    private volatile boolean stopped;
    private long movingBytes;

    EchoServer(Bmi bmi, CompletionContext context, DialectOption dialect) {
        this.bmi = bmi;
        this.context = context;
        this.dialect = dialect;
    }

    void stop() {
        stopped = true;
    }

    /** Serves until it is stopped. */
    void run() {
        try (UnexpectedListener all = bmi.openListener(UnexpectedFilter.ALL)) {
            while (!stopped) {
                int count = context.testContext(done, IDLE_MS);
                for (int i = 0; i < count; i++) {
                    completed((Echo) done.userData(i), done.error(i), done.sizeBytes(i));
                }
                if (movingBytes < MAX_MOVING_BYTES) {
                    serve(all);
                }
            }
        }
    }

    private void serve(UnexpectedListener all) {
        int count = all.test(messages, 0);
        for (int i = 0; i < count; i++) {
            if (messages.error(i) == 0) {
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
            long most = bmi.getOption(peer, Options.MAX_EXPECTED_BYTES);
            if (length >= 0 && length <= most) {
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
        movingBytes += length;
        begun(echo, context.postReceive(peer, echo.memory(), tag, echo, PostOptions.NONE), length);
    }

    private void send(PeerAddress peer, int tag, MemorySegment memory) {
        Echo echo = new Echo(peer, tag, memory, false);
        begun(echo, context.postSend(peer, memory, tag, echo, PostOptions.NONE), 0);
    }

    private void begun(Echo echo, long result, long length) {
        if (PostResult.isPending(result)) {
            return;
        }
        int error = result < 0 ? (int) result : 0;
        completed(echo, error, error == 0 && echo.isReceive() ? result : length);
    }

    /** A peer that goes in between gets no answer. */
    private void completed(@Nullable Echo echo, int error, long sizeBytes) {
        if (echo != null && echo.isReceive()) {
            movingBytes -= echo.memory().byteSize();
            if (error == 0) {
                send(echo.peer(), echo.tag(), echo.memory().asSlice(0, sizeBytes));
            }
        }
    }
}

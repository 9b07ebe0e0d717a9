package org.jbmi.zbmi.host;

import org.jbmi.spi.Operation;
import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerOutput;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/**
 * The engine's output for a server in its own process: direct calls, with the engine's lock held.
 * An answer goes into its post if a thread waits there, and everything else to the server.
 */
final class DirectOutput implements ServerOutput {
    /** {@link #answer}: nothing was answered. */
    static final int NONE = 0;

    /** Posts whose answers the engine holds back while a client moves the bytes. */
    private final ArrayList<ServerPost> awaited = new ArrayList<>();

    private Runnable sleepersWaker = () -> {};
    private @Nullable DoorEvents events;
    private @Nullable ServerPost posting;
    private int answer;

    /**
     * The server is attached.
     *
     * @param newSleepersWaker wakes threads that sleep until the answer to a post is there
     */
    void opened(DoorEvents newEvents, Runnable newSleepersWaker) {
        events = newEvents;
        sleepersWaker = newSleepersWaker;
    }

    private DoorEvents events() {
        return Objects.requireNonNull(events, "the server has not opened its door");
    }

    private ServerOutput server() {
        return events();
    }

    /** A thread is about to pass a post to the engine. */
    void begin(ServerPost post) {
        posting = post;
    }

    /**
     * The post was passed.
     *
     * @param isAwaited whether the thread waits for the answer if there is none yet
     */
    void end(ServerPost post, boolean isAwaited) {
        posting = null;
        if (isAwaited && !post.isAnswered()) {
            awaited.add(post);
        }
    }

    /** The thread waits no more: a later answer goes to the server. */
    @SuppressWarnings("ReferenceEquality") // the very post
    void forget(ServerPost post) {
        for (int i = awaited.size() - 1; i >= 0; i--) {
            if (awaited.get(i) == post) {
                awaited.remove(i);
            }
        }
    }

    /** Takes the answer to a cancel or to the goodbye; {@link #NONE} if there was none. */
    int takeAnswer() {
        int taken = answer;
        answer = NONE;
        return taken;
    }

    // Whether a thread waits at the post.
    private boolean isAnswered(long reference, int kind, long value) {
        ServerPost own = posting;
        if (own != null && own.reference == reference) {
            own.answer(kind, value);
            return true;
        }
        for (int i = 0; i < awaited.size(); i++) {
            ServerPost post = awaited.get(i);
            if (post.reference == reference) {
                awaited.remove(i);
                answer(post, kind, value);
                return true;
            }
        }
        return false;
    }

    // A sleeper has announced itself before it read the answer, with the lock taken in between.
    private void answer(ServerPost post, int kind, long value) {
        Thread sleeper = post.sleeper();
        post.answer(kind, value);
        if (sleeper != null && sleeper.isVirtual()) {
            LockSupport.unpark(sleeper);
        } else if (sleeper != null) {
            sleepersWaker.run();
        }
    }

    @Override
    public void answered(int kind, long correlation, long operationId, long value) {
        if (kind == ServerEvents.CANCEL_REPLY) {
            answer = (int) value;
        } else if (!isAnswered(operationId, kind, value)) {
            server().answered(kind, correlation, operationId, value);
        }
    }

    /** A send of the server was over at once. */
    void sentAtOnce() {
        events().sentAtOnce();
    }

    /** The server's name of a send in doubt; 0 or less: none. */
    long inDoubt(Operation operation, long zoidId) {
        return events().inDoubt(operation, zoidId);
    }

    @Override
    public void finishReply(long correlation, int moversLeft) {}

    @Override
    public void completion(long operationId, int code, long bytes, int client, int generation) {
        server().completion(operationId, code, bytes, client, generation);
    }

    @Override
    public void unexpected(
            int client,
            int generation,
            int tag,
            int messageClass,
            long offset,
            long bytes,
            long messageId) {
        server().unexpected(client, generation, tag, messageClass, offset, bytes, messageId);
    }

    @Override
    public void clientAttached(int client, int generation) {
        server().clientAttached(client, generation);
    }

    @Override
    public void clientGone(int client, int generation, int code) {
        server().clientGone(client, generation, code);
    }
}

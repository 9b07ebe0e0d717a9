package org.jbmi.zbmi.protocol;

import org.jbmi.spi.VarHandles;
import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A post of the server, and the engine's answer. The server keeps one with each operation and fills
 * it anew for each post; the side that has the post fills in the answer, once.
 *
 * <p>The posting thread sets the fields before it passes the post on. Another thread may answer: a
 * thread that sees {@link #isAnswered} sees the whole answer.
 */
public final class ServerPost {
    private static final VarHandle ANSWER =
            VarHandles.of(MethodHandles.lookup(), ServerPost.class, "answer", int.class);

    /** Whether it is an expected send; otherwise an expected receive. */
    public boolean isSend;

    /** The server's reference of the operation. */
    public long reference;

    /** The client's session. */
    public int session;

    /** The generation of that session. */
    public int generation;

    /** The tag of the message. */
    public int tag;

    /** When it expires, in milliseconds, or {@link ServerRequests#NEVER}. */
    public int expiryMs;

    /** The bytes of a send, or the room of a receive. */
    public long bytes;

    /** The offset of its block in the segment. */
    public long offset;

    /** The offset of its list in the segment. */
    public long listOffset;

    /** How many entries the list has; 0 for a single block. */
    public int listEntries;

    private final Message message = new Message();
    private volatile @Nullable Thread sleeper;

    /** Written through ANSWER, since no fence is needed. */
    private volatile int answer;

    private long value;

    /** Makes an empty one. */
    public ServerPost() {}

    /** A message for carrying the post and its answer, reused. */
    public Message message() {
        return message;
    }

    /** Begins a post anew, without an answer. */
    public void begin() {
        ANSWER.setOpaque(this, 0);
    }

    /**
     * Answers it.
     *
     * @param kind of {@link ServerEvents}: REGISTERED, POST_COMPLETED or POST_REFUSED
     * @param newValue the zoid id, the bytes, or the code
     */
    public void answer(int kind, long newValue) {
        value = newValue;
        ANSWER.setRelease(this, kind);
    }

    /** Whether it is answered. */
    public boolean isAnswered() {
        return answer != 0;
    }

    /** The kind of the answer, one of {@link ServerEvents}. */
    public int answer() {
        return answer;
    }

    /** The value of the answer; only if there is one. */
    public long value() {
        return value;
    }

    /** Stores the thread that is about to sleep until the answer comes; null: it has woken. */
    public void sleeps(@Nullable Thread thread) {
        sleeper = thread;
    }

    /** The thread that sleeps until the answer comes, or null. */
    public @Nullable Thread sleeper() {
        return sleeper;
    }
}

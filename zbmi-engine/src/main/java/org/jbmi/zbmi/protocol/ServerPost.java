package org.jbmi.zbmi.protocol;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A post of the server on its way to the engine, and the answer to it. The server keeps one with
 * each operation and fills it anew for each post; whoever has the post fills in the answer, once.
 *
 * <p>The fields are the posting thread's until it hands them on. The answer may come from another
 * thread: who sees {@link #isAnswered} sees all of it.
 */
public final class ServerPost {
    private static final VarHandle ANSWER;

    static {
        try {
            ANSWER = MethodHandles.lookup().findVarHandle(ServerPost.class, "answer", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** An expected send, or else an expected receive. */
    public boolean isSend;

    /** The server's name of the operation. */
    public long reference;

    /** The client. */
    public int session;

    /** Which life of that session is meant. */
    public int generation;

    /** Of the message. */
    public int tag;

    /** When it expires, in milliseconds, or {@link ServerRequests#NEVER}. */
    public int expiryMs;

    /** The bytes of a send, or the room of a receive. */
    public long bytes;

    /** Where its block lies in the segment. */
    public long offset;

    /** Where its list lies in the segment. */
    public long listOffset;

    /** How many entries the list has; 0 for a single block. */
    public int listEntries;

    private final Message message = new Message();
    private volatile @Nullable Thread sleeper;

    /** Written through ANSWER, since nobody needs the fence. */
    private volatile int answer;

    private long value;

    /** Makes an empty one. */
    public ServerPost() {}

    /**
     * What carries it, and the answer to it, where they are carried: kept here to be used again.
     */
    public Message message() {
        return message;
    }

    /** Begins a post anew: there is no answer to it. */
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

    /** Whether the answer is there. */
    public boolean isAnswered() {
        return answer != 0;
    }

    /** Which answer: a kind of {@link ServerEvents}. */
    public int answer() {
        return answer;
    }

    /** What the answer says; of an answer that is there. */
    public long value() {
        return value;
    }

    /** A thread is about to sleep until the answer is there; null: it has woken. */
    public void sleeps(@Nullable Thread thread) {
        sleeper = thread;
    }

    /** Who sleeps until the answer is there, or null. */
    public @Nullable Thread sleeper() {
        return sleeper;
    }
}

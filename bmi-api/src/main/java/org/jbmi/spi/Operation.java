package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * A posted send or receive. The core makes these objects, fills them at the post and reuses them
 * after the report, so that the core allocates nothing in a post. A method reads the request and
 * keeps its own state in the fields for methods. It owns these fields, and the links, from the post
 * to the completion.
 *
 * <p>A single buffer is held as itself; a list as an array of the core's own with {@link
 * #bufferCount()} entries.
 */
public abstract class Operation extends LinkedNode {
    /** The id while the operation lives, 0 when it does not; written by the core. */
    protected volatile long id;

    /** Send, receive or unexpected send. */
    protected OperationKind kind = OperationKind.SEND;

    /** The peer. */
    protected @Nullable MethodAddress address;

    /** The tag of the message. */
    protected int tag;

    /** The class of the message, 0 for expected messages. */
    protected int messageClass;

    /** Sum of the sizes of its buffers. */
    protected long sizeBytes;

    /** The only buffer, or null for a list. */
    protected @Nullable MemorySegment buffer;

    /** The buffers of a list; entries from {@link #bufferCount} on are leftovers. */
    protected @Nullable MemorySegment[] list = new MemorySegment[0];

    /** 1 for a single buffer. */
    protected int bufferCount;

    /** Whether every buffer must be pool memory. */
    protected boolean poolOnly;

    /** Whether its post must not wait for its peer; see {@link #neverWaits()}. */
    protected boolean neverWaits;

    /** When it expires on {@link System#nanoTime()}'s scale; meaningful if {@link #hasDeadline}. */
    protected volatile long deadlineNs;

    /** Whether it can expire. */
    protected boolean hasDeadline;

    /** The deadline that progress does not move, on the same scale. */
    protected long absoluteDeadlineNs;

    /** By how much progress moves the deadline; 0 if it does not. */
    protected long idleNs;

    private @Nullable Object attachment;
    private int methodState;
    private long word0;
    private long word1;
    private long word2;

    /** For the core. */
    protected Operation() {}

    /**
     * The id that the program knows it by.
     *
     * @return at least {@code 2^62}; when the operation is over, 0 or the id of the next use
     */
    public final long id() {
        return id;
    }

    /**
     * Send, receive or unexpected send.
     *
     * @return the kind of operation
     */
    public final OperationKind kind() {
        return kind;
    }

    /**
     * The peer.
     *
     * @return the method's object for it
     */
    public final MethodAddress address() {
        MethodAddress a = address;
        if (a == null) {
            throw new IllegalStateException("The operation is not in use.");
        }
        return a;
    }

    /**
     * The peer, for a cancel: the operation may end at the same moment, or be in use on another
     * method already.
     *
     * @return an object of some method, or null if the operation is not in use
     */
    public final @Nullable MethodAddress addressOrNull() {
        return address;
    }

    /**
     * The tag of the message.
     *
     * @return any 32-bit value
     */
    public final int tag() {
        return tag;
    }

    /**
     * The class of the message.
     *
     * @return 0 to 255
     */
    public final int messageClass() {
        return messageClass;
    }

    /**
     * Bytes to send, or room to receive.
     *
     * @return the sum over all buffers
     */
    public final long sizeBytes() {
        return sizeBytes;
    }

    /**
     * How many buffers there are.
     *
     * @return 0 or more
     */
    public final int bufferCount() {
        return bufferCount;
    }

    /**
     * One of the buffers.
     *
     * @param i 0 to {@code bufferCount() - 1}
     * @return the program's segment
     */
    public final MemorySegment buffer(int i) {
        MemorySegment single = buffer;
        if (single != null) {
            return single;
        }
        MemorySegment entry = list[i];
        if (entry == null || i >= bufferCount) {
            throw new IndexOutOfBoundsException(i);
        }
        return entry;
    }

    /**
     * Whether the program asked for memory of the pool only. The core does not check this. On a
     * server, a method with the capability {@code STRICT_POOL_ONLY} of the conformance kit refuses
     * the post with {@link org.jbmi.ErrorCode#EINVAL} if a buffer lies outside its pool.
     *
     * @return true if all buffers must lie in the pool
     */
    public final boolean poolOnly() {
        return poolOnly;
    }

    /**
     * Whether the program asked that its post must not wait for its peer. Only zoid's server half
     * heeds this.
     *
     * @return true if a post that is not over at once is to be pending
     */
    public final boolean neverWaits() {
        return neverWaits;
    }

    /**
     * Whether it can expire, so that the method must read the clock before it matches.
     *
     * @return true if there is a deadline
     */
    public final boolean hasDeadline() {
        return hasDeadline;
    }

    /**
     * Whether its deadline has passed; then it must not be matched any more.
     *
     * @param nowNs {@link System#nanoTime()}
     * @return true if its deadline has passed
     */
    public final boolean isExpired(long nowNs) {
        return hasDeadline && nowNs - deadlineNs >= 0;
    }

    /**
     * How long it may still wait, for a method whose peer checks the deadline too.
     *
     * @param nowNs {@link System#nanoTime()}
     * @return nanoseconds, 0 or less if its deadline has passed, {@link Long#MAX_VALUE} without a
     *     deadline
     */
    public final long remainingNs(long nowNs) {
        return hasDeadline ? deadlineNs - nowNs : Long.MAX_VALUE;
    }

    /**
     * Moves an idle deadline, up to the absolute one, because bytes were moved.
     *
     * @param nowNs {@link System#nanoTime()}
     */
    public final void progressed(long nowNs) {
        if (idleNs > 0) {
            deadlineNs = nowNs + Math.min(idleNs, absoluteDeadlineNs - nowNs);
        }
    }

    /**
     * The method's own object.
     *
     * @return what was set, null at the post
     */
    public final @Nullable Object attachment() {
        return attachment;
    }

    /**
     * Sets the method's own object.
     *
     * @param newAttachment any
     */
    public final void attachment(@Nullable Object newAttachment) {
        attachment = newAttachment;
    }

    /**
     * The method's own state.
     *
     * @return 0 at the post
     */
    public final int methodState() {
        return methodState;
    }

    /**
     * Sets the method's own state.
     *
     * @param state any
     */
    public final void methodState(int state) {
        methodState = state;
    }

    /**
     * The first of three words for the method.
     *
     * @return 0 at the post
     */
    public final long word0() {
        return word0;
    }

    /**
     * Sets the first word.
     *
     * @param value any
     */
    public final void word0(long value) {
        word0 = value;
    }

    /**
     * The second of three words for the method.
     *
     * @return 0 at the post
     */
    public final long word1() {
        return word1;
    }

    /**
     * Sets the second word.
     *
     * @param value any
     */
    public final void word1(long value) {
        word1 = value;
    }

    /**
     * The third of three words for the method.
     *
     * @return 0 at the post
     */
    public final long word2() {
        return word2;
    }

    /**
     * Sets the third word.
     *
     * @param value any
     */
    public final void word2(long value) {
        word2 = value;
    }

    /**
     * The oldest operation of a list whose deadline has not passed. Older ones stay in the list
     * until the core cancels them.
     *
     * @param operations the oldest first
     * @return null if there is none
     */
    public static @Nullable Operation firstLive(IntrusiveList<Operation> operations) {
        Operation oldest = operations.first();
        if (oldest == null || !oldest.hasDeadline) {
            return oldest;
        }
        long nowNs = System.nanoTime();
        while (oldest != null && oldest.isExpired(nowNs)) {
            oldest = operations.next(oldest);
        }
        return oldest;
    }

    /** Clears the method's fields for the next use. For the core. */
    protected final void resetMethodFields() {
        attachment = null;
        methodState = 0;
        word0 = 0;
        word1 = 0;
        word2 = 0;
    }
}

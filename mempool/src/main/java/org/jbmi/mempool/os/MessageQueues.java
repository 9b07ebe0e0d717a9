package org.jbmi.mempool.os;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * The POSIX message queues of the kernel, by descriptor. A result of 0 or more means success, a
 * negative one is the negative error number. The calls throw only if there are no message queues
 * here, see {@link #unavailabilityReason}.
 *
 * <p>Thread-safe and without state. Sending and receiving allocate nothing.
 */
public final class MessageQueues {
    private static final QueueFunctions.Binding BINDING = QueueFunctions.bind();

    private static final int READ_ONLY = 0;
    private static final int WRITE_ONLY = 1;
    private static final int CREATE_NEW = 0x40 | 0x80;
    private static final int NON_BLOCKING = 0x800;
    private static final int OWNER_ALONE = 0_600;
    private static final long ATTRIBUTE_BYTES = 64;
    private static final long DEPTH = 8;
    private static final long MESSAGE_BYTES = 16;
    private static final long QUEUED = 24;

    private MessageQueues() {}

    /**
     * Whether there are message queues here.
     *
     * @return empty if so, else the reason as a part of a sentence; never throws
     */
    public static Optional<String> unavailabilityReason() {
        return Optional.ofNullable(BINDING.unavailable());
    }

    private static QueueFunctions functions() {
        QueueFunctions bound = BINDING.functions();
        if (bound == null) {
            throw new UnsupportedOperationException(BINDING.unavailable());
        }
        return bound;
    }

    /** An end of a queue, and whether its calls may wait. */
    public enum End {
        /** To receive, without waiting. */
        RECEIVE(READ_ONLY | NON_BLOCKING),
        /** To receive; each call gives the longest wait. */
        RECEIVE_WAITING(READ_ONLY),
        /** To send, without waiting. */
        SEND(WRITE_ONLY | NON_BLOCKING);

        private final int flags;

        End(int flags) {
            this.flags = flags;
        }
    }

    /**
     * Makes a queue that only this user may open, and opens an end of it.
     *
     * @param name begins with a slash and has no other slash
     * @param end to open
     * @param depth the most messages in it
     * @param messageBytes size of the largest message
     * @return a descriptor, or below 0: {@link Errno#EEXIST}, {@link Errno#EINVAL} if a value is
     *     above the machine's limits, {@link Errno#EMFILE} if the user's quota is used up, {@link
     *     Errno#ENOSPC} for too many queues, ...
     */
    public static int create(String name, End end, int depth, int messageBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(ATTRIBUTE_BYTES, Long.BYTES);
            attributes.set(ValueLayout.JAVA_LONG, DEPTH, depth);
            attributes.set(ValueLayout.JAVA_LONG, MESSAGE_BYTES, messageBytes);
            return open(arena.allocateFrom(name), end.flags | CREATE_NEW, attributes);
        }
    }

    /**
     * Opens an end of an existing queue.
     *
     * @return a descriptor, or below 0
     */
    public static int open(String name, End end) {
        try (Arena arena = Arena.ofConfined()) {
            return open(arena.allocateFrom(name), end.flags, MemorySegment.NULL);
        }
    }

    private static int open(MemorySegment name, int flags, MemorySegment attributes) {
        WaitBuffer state = new WaitBuffer();
        int result;
        try {
            result =
                    (int)
                            functions()
                                    .open()
                                    .invokeExact(
                                            state.callState(),
                                            name,
                                            flags,
                                            OWNER_ALONE,
                                            attributes);
        } catch (Throwable e) {
            throw NativeAccess.unexpected(e);
        }
        return result >= 0 ? result : -state.errno();
    }

    /**
     * Closes an end. The kernel removes a queue that has no name and no open end.
     *
     * @param descriptor of the end, not to be used again
     */
    public static void close(int descriptor) {
        try {
            int _ = (int) functions().close().invokeExact(descriptor);
        } catch (Throwable e) {
            throw NativeAccess.unexpected(e);
        }
    }

    /**
     * Removes the name of a queue. Processes that have it open may still use it.
     *
     * @return 0, or below 0: {@link Errno#ENOENT} if there is none
     */
    public static int unlink(String name) {
        WaitBuffer state = new WaitBuffer();
        int result;
        try (Arena arena = Arena.ofConfined()) {
            result =
                    (int)
                            functions()
                                    .unlink()
                                    .invokeExact(state.callState(), arena.allocateFrom(name));
        } catch (Throwable e) {
            throw NativeAccess.unexpected(e);
        }
        return result == 0 ? 0 : -state.errno();
    }

    /**
     * Sends a message, without waiting.
     *
     * @param descriptor of an end to send
     * @param buffer of this thread; its first words are the message
     * @param words of the message
     * @return 0, or below 0: {@link Errno#EAGAIN} if the queue is full
     */
    public static int send(int descriptor, QueueBuffer buffer, int words) {
        WaitBuffer state = buffer.state();
        int result;
        try {
            result =
                    (int)
                            functions()
                                    .send()
                                    .invokeExact(
                                            state.callState(),
                                            descriptor,
                                            buffer.bytes(),
                                            (long) words * Long.BYTES,
                                            0,
                                            state.timespec(0));
        } catch (Throwable e) {
            throw NativeAccess.unexpected(e);
        }
        return result == 0 ? 0 : -state.errno();
    }

    /**
     * Receives a message. Not for virtual threads, whose carrier a wait would hold.
     *
     * @param descriptor of an end to receive
     * @param buffer of this thread; takes the message
     * @param timeoutNs the longest wait, 0 for none, independent of the wall clock; an end that
     *     does not wait ignores it
     * @return bytes received, or below 0: {@link Errno#EAGAIN} or {@link Errno#ETIMEDOUT} if there
     *     is no message, {@link Errno#EINTR}, {@link Errno#EMSGSIZE} if the queue may hold larger
     *     messages than the buffer
     */
    public static int receive(int descriptor, QueueBuffer buffer, long timeoutNs) {
        int result = receive(descriptor, buffer);
        if (result != -Errno.ETIMEDOUT || timeoutNs <= 0) {
            return result;
        }
        int ready = await(descriptor, buffer, timeoutNs);
        return ready > 0 ? receive(descriptor, buffer) : ready;
    }

    // Without a wait, because it would end at a time of the wall clock, which may be set back.
    private static int receive(int descriptor, QueueBuffer buffer) {
        WaitBuffer state = buffer.state();
        long result;
        try {
            result =
                    (long)
                            functions()
                                    .receive()
                                    .invokeExact(
                                            state.callState(),
                                            descriptor,
                                            buffer.bytes(),
                                            buffer.bytes().byteSize(),
                                            MemorySegment.NULL,
                                            state.timespec(0));
        } catch (Throwable e) {
            throw NativeAccess.unexpected(e);
        }
        return result >= 0 ? (int) result : -state.errno();
    }

    // Returns 1 if there may be a message.
    private static int await(int descriptor, QueueBuffer buffer, long timeoutNs) {
        WaitBuffer state = buffer.state();
        int result;
        try {
            result =
                    (int)
                            functions()
                                    .poll()
                                    .invokeExact(
                                            state.callState(),
                                            buffer.pollFor(descriptor),
                                            1L,
                                            state.timespec(timeoutNs),
                                            MemorySegment.NULL);
        } catch (Throwable e) {
            throw NativeAccess.unexpected(e);
        }
        if (result < 0) {
            return -state.errno();
        }
        return result == 0 ? -Errno.ETIMEDOUT : 1;
    }

    /**
     * How many messages a queue can hold.
     *
     * @return messages, or below 0
     */
    public static long depth(int descriptor, QueueBuffer buffer) {
        return attribute(descriptor, buffer, DEPTH);
    }

    /**
     * The largest message of a queue.
     *
     * @return bytes, or below 0
     */
    public static long messageBytes(int descriptor, QueueBuffer buffer) {
        return attribute(descriptor, buffer, MESSAGE_BYTES);
    }

    /**
     * How many messages are in a queue now.
     *
     * @return messages, or below 0
     */
    public static long queued(int descriptor, QueueBuffer buffer) {
        return attribute(descriptor, buffer, QUEUED);
    }

    // Overwrites the first words of the buffer.
    private static long attribute(int descriptor, QueueBuffer buffer, long offset) {
        WaitBuffer state = buffer.state();
        int result;
        try {
            result =
                    (int)
                            functions()
                                    .attributes()
                                    .invokeExact(state.callState(), descriptor, buffer.bytes());
        } catch (Throwable e) {
            throw NativeAccess.unexpected(e);
        }
        return result == 0
                ? buffer.bytes().get(ValueLayout.JAVA_LONG, offset)
                : -(long) state.errno();
    }
}

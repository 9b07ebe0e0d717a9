package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.pump.SegmentList;
import org.jbmi.shipper.server.Memory;
import org.jbmi.shipper.server.ServerCall;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A call on the server: its input, and methods that move data between the server and the client.
 * Several transfers may run at once. The server moves a large transfer in several messages. When it
 * answers the call, it cancels the transfers that still run. Safe for use by any thread until it is
 * answered.
 *
 * @param <I> the type of the input
 * @param <O> the type of the output
 */
public final class Call<I, O> {
    private final ServerCall call;
    private final I input;
    private final Codec<O> codec;

    Call(ServerCall call, I input, Codec<O> codec) {
        this.call = call;
        this.input = input;
        this.codec = codec;
    }

    /**
     * The input of the call.
     *
     * @return the input
     */
    public I input() {
        return input;
    }

    /**
     * The client that called.
     *
     * @return the client's address on this instance
     */
    public PeerAddress client() {
        return call.session().peer();
    }

    /**
     * Whether the client wants no answer any more. Then transfers fail with {@link
     * ErrorCode#ECANCEL}, and the handler should return.
     *
     * @return true if the client cancelled, died, or waits no longer
     */
    public boolean isAbandoned() {
        return call.abandoned() != 0;
    }

    /**
     * The time until the deadline of the call. A handler that calls other servers should use it as
     * their deadline.
     *
     * @return zero if the call is answered, abandoned or past its deadline; empty if it has no
     *     deadline. Do not pass zero to {@link RemoteFunction#withDeadline}: there it means no
     *     deadline
     */
    public Optional<Duration> timeLeft() {
        long leftNs = call.leftNs();
        return leftNs == ServerCall.NEVER
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(leftNs));
    }

    /**
     * Defers the answer: the handler then returns null. Only inside the handler.
     *
     * @return the object that takes the answer
     */
    public DeferredAnswer<O> defer() {
        call.core().defer(call);
        return new DeferredAnswer<>(call, codec);
    }

    private Memory memory() {
        return call.core().memory();
    }

    /**
     * Leases memory of the server.
     *
     * @param bytes how much
     * @return memory, not cleared
     * @throws BmiException with {@link ErrorCode#ENOMEM} if there is none, {@link
     *     ErrorCode#ECANCEL} if the handler has returned and the call is answered
     */
    public Lease lease(long bytes) {
        return new Lease(memory(), call, memory().lease(call, bytes));
    }

    /**
     * Pulls all of a client's memory.
     *
     * @param handle the client's memory
     * @return the bytes
     * @throws BmiException as {@link #startPull} and {@link Transfer#await}; {@link
     *     ErrorCode#ENOMEM} if there is no memory
     */
    public Lease pull(BulkHandle handle) {
        return pull(handle, 0, handle.sizeBytes());
    }

    /**
     * Pulls a part of a client's memory.
     *
     * @param handle the client's memory
     * @param offset the offset in it
     * @param length how many bytes
     * @return the bytes
     * @throws BmiException as {@link #startPull} and {@link Transfer#await}; {@link
     *     ErrorCode#ENOMEM} if there is no memory
     */
    public Lease pull(BulkHandle handle, long offset, long length) {
        Lease lease = lease(length);
        try {
            pull(handle, offset, lease.segment());
            return lease;
        } catch (RuntimeException e) {
            lease.close();
            throw e;
        }
    }

    /**
     * Fills a segment from a client's memory.
     *
     * @param handle the client's memory
     * @param offset the offset in it
     * @param into filled whole
     * @throws BmiException as {@link #startPull} and {@link Transfer#await}
     */
    public void pull(BulkHandle handle, long offset, MemorySegment into) {
        startPull(handle, offset, List.of(into), 0, into.byteSize()).await();
    }

    /**
     * Starts to pull bytes.
     *
     * @param handle the client's memory
     * @param offset where in it
     * @param into the server's memory
     * @param intoOffset where in it
     * @param length how many bytes
     * @return the transfer; it must be awaited before the memory is used or freed
     * @throws BmiException with {@link ErrorCode#EFAULT} if a range lies outside. With {@link
     *     ErrorCode#EPERM} if the handle does not allow it. With {@link ErrorCode#EHOSTUNREACH} if
     *     the owner of the handle has no session here. With {@link ErrorCode#ECANCEL} if the call
     *     is over. With {@link ErrorCode#ETRYAGAIN} if too many transfers are under way. With
     *     {@link ErrorCode#EINVAL} if the server's memory is read-only in a pull. Also if it is
     *     neither native memory of a shared or automatic arena nor a view of a {@code byte[]}
     */
    public Transfer startPull(
            BulkHandle handle,
            long offset,
            List<MemorySegment> into,
            long intoOffset,
            long length) {
        return start(false, handle, offset, into, intoOffset, length);
    }

    /**
     * Copies a segment into a client's memory.
     *
     * @param handle the client's memory
     * @param offset the offset in it
     * @param from copied whole
     * @throws BmiException as {@link #startPull} and {@link Transfer#await}
     */
    public void push(BulkHandle handle, long offset, MemorySegment from) {
        startPush(handle, offset, List.of(from), 0, from.byteSize()).await();
    }

    /**
     * Starts to push bytes into a client's memory.
     *
     * @param handle the client's memory
     * @param offset where in it
     * @param from the server's memory
     * @param fromOffset where in it
     * @param length how many bytes
     * @return the transfer; it must be awaited before the memory is changed or freed
     * @throws BmiException as {@link #startPull}
     */
    public Transfer startPush(
            BulkHandle handle,
            long offset,
            List<MemorySegment> from,
            long fromOffset,
            long length) {
        return start(true, handle, offset, from, fromOffset, length);
    }

    private Transfer start(
            boolean push,
            BulkHandle handle,
            long offset,
            List<MemorySegment> local,
            long localOffset,
            long length) {
        return new Transfer(
                memory(),
                memory().start(
                                call,
                                push,
                                handle,
                                offset,
                                new SegmentList(local),
                                localOffset,
                                length));
    }
}

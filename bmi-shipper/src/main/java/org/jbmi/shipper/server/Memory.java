package org.jbmi.shipper.server;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.pump.MemoryCheck;
import org.jbmi.shipper.pump.SegmentList;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The memory that a server keeps or leases for calls, within limits, and its transfers. */
public final class Memory {
    private static final System.Logger LOG = System.getLogger(Memory.class.getName());

    private final ServerCore core;
    private final MemoryCheck memoryCheck = new MemoryCheck();
    private long heldBytes;
    private long leasedBytes;

    /** Memory of finished calls that an operation of the program still uses. */
    private final List<MemorySegment> busy = new ArrayList<>();

    private @Nullable MemorySegment sink;

    /** Empty, for transfers that are over; made now, because the heap may be full later. */
    final SegmentList nothing = new SegmentList(List.of());

    Memory(ServerCore core) {
        this.core = core;
    }

    /** Reserves memory for a large input or output; under the lock. */
    boolean hold(long bytes) {
        if (heldBytes + bytes > core.settings().maxHeldBytes()) {
            return false;
        }
        heldBytes += bytes;
        core.counters().heldBytes.set(heldBytes);
        return true;
    }

    void unhold(long bytes) {
        heldBytes -= bytes;
        core.counters().heldBytes.set(heldBytes);
    }

    /**
     * Room for a chunk that nobody reads. All receives of such chunks share it, because peers
     * decide how many there are.
     */
    MemorySegment sink() {
        MemorySegment room = sink;
        if (room == null) {
            room = MemorySegment.ofArray(new byte[core.settings().chunkBytes()]);
            sink = room;
        }
        return room;
    }

    /** Pulls a large input and decodes it; by the thread that will run the handler. */
    void pullInput(ServerCall call) {
        BulkHandle handle = call.inputHandle();
        if (handle == null) {
            return;
        }
        call.stage(ServerCall.Stage.INPUT);
        long size = handle.sizeBytes();
        try (var _ = core.pump().held()) {
            if (!hold(size)) {
                throw new BmiException(
                        ErrorCode.ETRYAGAIN, "The server has no memory for so large an input now.");
            }
        }
        try {
            byte[] bytes = roomFor(size);
            SegmentList local = new SegmentList(List.of(MemorySegment.ofArray(bytes)));
            await(start(call, false, handle, 0, local, 0, size));
            Decoder in = new Decoder();
            in.reset(bytes, 0, bytes.length);
            call.input(MessageReceiver.readInput(call.function(), in));
        } finally {
            try (var _ = core.pump().held()) {
                unhold(size);
            }
        }
    }

    private static byte[] roomFor(long inputBytes) {
        try {
            return new byte[(int) inputBytes];
        } catch (OutOfMemoryError e) {
            throw new BmiException(ErrorCode.ENOMEM, "The server has no memory for the input.");
        }
    }

    /** Pushes a large output to the client's memory; under the lock. */
    void pushHeld(ServerCall call, BulkHandle handle) {
        HeldOutput held = call.held();
        if (held == null) {
            return;
        }
        ServerSession route = core.sessionManager().route(handle.owner(), call.session());
        if (route == null
                || handle.sizeBytes() != held.length()
                || !handle.permission().allows(Permission.WRITE)) {
            call.session().fail(ErrorCode.EBADMSG.negativeValue(), "A client fetches wrongly.");
            return;
        }
        MemorySegment bytes =
                MemorySegment.ofArray(held.message()).asSlice(held.offset(), held.length());
        ServerTransfer[] own = new ServerTransfer[1];
        call.deadlineNs = held.deadlineNs(); // the transfer has deadlines of its own
        ServerTransfer transfer =
                new ServerTransfer(
                        route,
                        call,
                        true,
                        handle,
                        0,
                        new SegmentList(List.of(bytes)),
                        0,
                        held.length(),
                        () -> core.answers().outputOver(call, own[0].code(), own[0].text()));
        own[0] = transfer;
        call.extras().transfers.add(transfer);
        if (!route.offer(transfer)) {
            call.extras().transfers.remove(transfer);
            core.answers()
                    .outputOver(
                            call,
                            ErrorCode.ETRYAGAIN.negativeValue(),
                            "Too many transfers are waiting.");
        }
    }

    /**
     * Starts a transfer for a call.
     *
     * @param push whether bytes go to the client
     * @return the transfer, to be waited for; null if there is nothing to move
     * @throws BmiException if it cannot begin
     */
    public @Nullable ServerTransfer start(
            ServerCall call,
            boolean push,
            BulkHandle handle,
            long remoteOffset,
            SegmentList local,
            long localOffset,
            long length) {
        check(push, handle, remoteOffset, local, localOffset, length);
        memoryCheck.check(local, !push);
        if (length == 0) {
            return null;
        }
        core.pump().enter();
        try {
            if (call.abandoned() != 0 || call.answered) {
                throw new BmiException(
                        ErrorCode.ECANCEL, "The call is over, and with it its transfers.");
            }
            ServerSession route = core.sessionManager().route(handle.owner(), call.session());
            if (route == null) {
                throw new BmiException(
                        ErrorCode.EHOSTUNREACH,
                        "The client that exposed the memory has no session with this server: let"
                                + " it connect.");
            }
            ServerTransfer transfer =
                    new ServerTransfer(
                            route,
                            call,
                            push,
                            handle,
                            remoteOffset,
                            local,
                            localOffset,
                            length,
                            null);
            call.extras().transfers.add(transfer);
            if (!route.offer(transfer)) {
                call.extras().transfers.remove(transfer);
                throw new BmiException(ErrorCode.ETRYAGAIN, "Too many transfers are waiting.");
            }
            return transfer;
        } finally {
            core.pump().leave();
            core.pump().kick();
        }
    }

    private static void check(
            boolean push,
            BulkHandle handle,
            long remoteOffset,
            SegmentList local,
            long localOffset,
            long length) {
        boolean remoteFits =
                remoteOffset >= 0 && length >= 0 && remoteOffset <= handle.sizeBytes() - length;
        if (!remoteFits || !local.contains(localOffset, length)) {
            throw new BmiException(
                    ErrorCode.EFAULT,
                    "%d bytes at %d of %d, and at %d of %d, do not lie inside."
                            .formatted(
                                    length,
                                    remoteOffset,
                                    handle.sizeBytes(),
                                    localOffset,
                                    local.sizeBytes()));
        }
        if (!handle.permission().allows(push ? Permission.WRITE : Permission.READ)) {
            throw new BmiException(
                    ErrorCode.EPERM,
                    "The handle allows " + handle.permission() + " and not what was asked for.");
        }
    }

    /**
     * Waits until a transfer has stopped using the server's memory.
     *
     * @throws BmiException with its code if it failed; after an interrupt with {@link
     *     ErrorCode#ECANCEL}, and the interrupt flag is set
     */
    public void await(@Nullable ServerTransfer transfer) {
        if (transfer == null) {
            return;
        }
        if (!transfer.isFinished() && core.pump().isOrWasOwnThread()) {
            throw new BmiException(
                    ErrorCode.EDEADLK,
                    "A handler that is registered as short must not wait: nothing moves while it"
                            + " runs.");
        }
        boolean interrupted = false;
        while (!core.pump().await(transfer, Long.MAX_VALUE / 2) && !core.pump().isClosed()) {
            if (Thread.interrupted()) {
                interrupted = true;
                cancel(transfer);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!transfer.isFinished()) {
            throw new BmiException(ErrorCode.EPIPE, "The server was closed.");
        }
        if (transfer.code() != 0) {
            throw new BmiException(ErrorCode.ofOutcome(transfer.code()), transfer.text());
        }
    }

    /** Cancels a transfer; the caller must still await it. */
    public void cancel(ServerTransfer transfer) {
        try (var _ = core.pump().held()) {
            transfer.fail(ErrorCode.ECANCEL.negativeValue(), "The transfer was cancelled.");
        }
    }

    /**
     * Leases memory to a call until {@link #release}, at the latest until the call ends.
     *
     * @return memory that suits messages with the client
     * @throws BmiException with {@link ErrorCode#ENOMEM} if there is none, or too much is lent;
     *     with {@link ErrorCode#ECANCEL} if the call is over, because nothing would free it
     */
    public MemorySegment lease(ServerCall call, long bytes) {
        try (var _ = core.pump().held()) {
            if (call.isOver()) {
                throw new BmiException(
                        ErrorCode.ECANCEL, "The call is over, and with it its leases.");
            }
            MemorySegment memory = null;
            if (bytes >= 0 && bytes <= core.settings().maxLeasedBytes() - leasedBytes) {
                memory = call.session().peer().allocate(bytes);
            }
            if (memory == null) {
                throw new BmiException(
                        ErrorCode.ENOMEM, "There is no memory for %d bytes now.".formatted(bytes));
            }
            try {
                call.extras().leases.add(memory);
            } catch (OutOfMemoryError e) {
                core.pump().bmi().free(memory);
                throw e;
            }
            lent(bytes);
            return memory;
        }
    }

    /**
     * Ends a lease, at once or as soon as no transfer of the call uses the memory.
     *
     * @param memory what was lent; nothing happens if it was taken back before
     * @throws BmiException with {@link ErrorCode#EBUSY} while an operation of the program uses it:
     *     the lease goes on
     */
    public void release(ServerCall call, MemorySegment memory) {
        try (var _ = core.pump().held()) {
            CallExtras own = call.extras();
            if (!own.leases.contains(memory)) {
                return;
            }
            if (own.hasTransferOf(memory)) {
                own.returned.add(memory);
            } else {
                free(memory);
            }
            own.leases.remove(memory);
        }
    }

    /** A transfer of a call has ended. */
    void transferOver(ServerCall call) {
        CallExtras own = call.extras();
        freeThose(own.returned, own);
    }

    void freeLeases(ServerCall call) {
        CallExtras own = call.extrasOrNull();
        if (own != null) {
            freeThose(own.leases, null);
            freeThose(own.returned, null);
        }
    }

    /**
     * Frees those that no transfer of a call uses, or all without a call. Each leaves the list as
     * soon as it is free: if the next one fails, it is not freed twice.
     */
    private void freeThose(List<MemorySegment> all, @Nullable CallExtras users) {
        for (int i = all.size() - 1; i >= 0; i--) {
            MemorySegment memory = all.get(i);
            if (users == null || !users.hasTransferOf(memory)) {
                freeOrKeep(memory);
                all.remove(i);
            }
        }
    }

    /** Whether no memory waits to be freed. */
    boolean isQuiet() {
        return busy.isEmpty();
    }

    /** Frees memory that was in use when its call ended. */
    void tick() {
        freeThose(busy, null); // what is still in use is added at the end and stays
    }

    /** No caller can get an error here: memory in use is freed later. */
    private void freeOrKeep(MemorySegment memory) {
        try {
            free(memory);
        } catch (OutOfMemoryError e) {
            busy.add(memory);
        } catch (BmiException e) {
            if (e.code() == ErrorCode.EBUSY) {
                busy.add(memory);
            } else {
                LOG.log(System.Logger.Level.WARNING, "Lent memory was freed by somebody else.", e);
                lent(-memory.byteSize());
            }
        }
    }

    private void free(MemorySegment memory) {
        if (!core.pump().bmi().isClosed()) {
            core.pump().bmi().free(memory);
        }
        lent(-memory.byteSize());
    }

    private void lent(long change) {
        leasedBytes += change;
        core.counters().leasedBytes.set(leasedBytes);
    }
}

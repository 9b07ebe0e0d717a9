package org.jbmi.zoid.daemon;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.Call;
import org.jbmi.shipper.Lease;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.zoid.daemon.plugin.LoadedPlugin;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.forward.stub.ServedCall;
import org.jbmi.zoid.forward.wire.Alignment;
import org.jbmi.zoid.forward.wire.Forwarded;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** A forwarded call that runs: moves its arrays, and frees its memory at the end. */
final class ForwardedCall extends ServedCall implements AutoCloseable {
    /** The length of a cache line; the original needs less. */
    private static final int ALIGNMENT = 64;

    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final Forwarding forwarding;
    private final LoadedPlugin plugin;
    private final Category counters;
    private final ZoidProcess process;
    private final Call<Forwarded.In, Forwarded.Out> call;
    private final boolean isLarge;
    private final boolean waitsForTurn;
    private @Nullable Semaphore replyBuffer;
    private boolean ownsLarge;
    private boolean expectsUserBuffer;
    private @Nullable MemorySegment registered;
    private @Nullable Consumer<MemorySegment> callback;
    private @Nullable MemorySegment allocated;
    private long quotaBytes;
    private boolean started;
    private boolean inPlugin;
    private long receivedBytes;
    private long pushedBytes;

    ForwardedCall(
            Forwarding forwarding,
            LoadedPlugin plugin,
            Category counters,
            ZoidProcess process,
            Call<Forwarded.In, Forwarded.Out> call,
            byte[] body,
            boolean isLarge,
            boolean waitsForTurn) {
        super(body, Forwarded.HEADER_BYTES, forwarding.settings().limitBytes());
        this.forwarding = forwarding;
        this.plugin = plugin;
        this.counters = counters;
        this.process = process;
        this.call = call;
        this.isLarge = isLarge;
        this.waitsForTurn = waitsForTurn;
    }

    ZoidProcess process() {
        return process;
    }

    /** What was pulled besides the body. */
    long receivedBytes() {
        return receivedBytes;
    }

    /** The results, after the function has run. */
    byte[] results() {
        if (excessBytes() > 0) {
            throw new ZoidException(
                    ZoidError.E2BIG,
                    excessBytes(),
                    "The function ran, but its reply is "
                            + excessBytes()
                            + " bytes larger than a message may be.");
        }
        return written();
    }

    long sentBytes() {
        return messageBytes() + pushedBytes;
    }

    @Override
    protected void admitted(long bytes) {
        try {
            boolean large = bytes + Forwarded.HEADER_BYTES > forwarding.settings().smallBytes();
            // A call with a large request has its turn already, and must not wait for a second one.
            if (large && !isLarge && !ownsLarge) {
                process.large().acquire();
                ownsLarge = true;
            }
            replyBuffer = forwarding.replies().take(bytes + Forwarded.HEADER_BYTES);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    @Override
    public void start() {
        if (call.isAbandoned()) {
            throw new ZoidException(ZoidError.ECANCELED, 0, "The client has gone.");
        }
        started = true;
        inPlugin = true;
    }

    @Override
    public void returned() {
        inPlugin = false;
    }

    /** Whether its allocator or its function runs, or has thrown. */
    boolean isInPlugin() {
        return inPlugin;
    }

    @Override
    public MemorySegment pull(long bytes) {
        long excess = bytes - forwarding.settings().limitBytes();
        if (excess > 0) {
            throw new ZoidException(
                    ZoidError.E2BIG, excess, "The array that goes in is too large.");
        }
        BulkHandle handle = handleOf(bytes);
        MemorySegment memory = lend(bytes);
        pullInto(memory, handle);
        return memory;
    }

    @Override
    public MemorySegment pull(long bytes, Allocator allocator) {
        BulkHandle handle = handleOf(bytes);
        takeQuota(bytes);
        MemorySegment memory = allocate(allocator, (int) bytes);
        if (memory == null) {
            throw new ZoidException(
                    ZoidError.ENOMEM, 0, "The plug-in has no memory for " + bytes + " bytes.");
        }
        allocated = memory;
        countUnaligned(memory);
        if (memory.byteSize() < bytes) {
            throw new ZoidException(
                    ZoidError.EREMOTEIO,
                    0,
                    "The plug-in brought %d bytes of %d.".formatted(memory.byteSize(), bytes));
        }
        pullInto(memory, handle);
        return memory;
    }

    /** Null also if the allocator runs out of memory: the machine may have less than the quota. */
    private @Nullable MemorySegment allocate(Allocator allocator, int bytes) {
        MemorySegment memory = null;
        inPlugin = true;
        try {
            memory = allocator.allocate(bytes);
        } catch (OutOfMemoryError e) {
            // As if it had returned null.
        }
        inPlugin = false;
        return memory;
    }

    private void countUnaligned(MemorySegment memory) {
        if (!Alignment.isKept(memory)) {
            counters.unaligned();
        }
    }

    /** The client's memory; checked before anything is taken for it. */
    private BulkHandle handleOf(long bytes) {
        BulkHandle handle = call.input().in().orElse(null);
        if (handle == null || handle.sizeBytes() != bytes) {
            throw new ZoidException(
                    ZoidError.EINVAL, 0, "The array that goes in has another size than is said.");
        }
        return handle;
    }

    private void pullInto(MemorySegment memory, BulkHandle handle) {
        long bytes = handle.sizeBytes();
        if (bytes == 0) {
            return;
        }
        forwarding.pull(call, handle, memory.asSlice(0, bytes), waitsForTurn);
        receivedBytes += bytes;
    }

    @Override
    public MemorySegment lend(long bytes) {
        if (bytes == 0) {
            return NOTHING;
        }
        MemorySegment memory;
        try {
            Lease lease = call.lease(bytes); // ends with the call
            memory = lease.segment();
        } catch (BmiException e) {
            if (e.code() != ErrorCode.ENOMEM) {
                throw e;
            }
            memory = Arena.ofAuto().allocate(bytes, ALIGNMENT); // bounded by the budgets
        }
        return memory.fill((byte) 0);
    }

    @Override
    protected void push(long offset, MemorySegment memory) {
        BulkHandle handle = call.input().out().orElse(null);
        if (handle == null) {
            throw new ZoidException(ZoidError.EINVAL, 0, "There is no memory for the result.");
        }
        if (memory.byteSize() > 0) {
            call.push(handle, offset, memory);
            pushedBytes += memory.byteSize();
        }
    }

    @Override
    public void expectUserBuffer() {
        expectsUserBuffer = true;
    }

    private void checkRegister() {
        if (!expectsUserBuffer || registered != null) {
            throw new IllegalStateException(
                    "A function registers one buffer, if it has an array with userbuf that comes"
                            + " out.");
        }
    }

    /** Allocates memory for the function; null if that exceeds the quota. */
    @Nullable MemorySegment allocate(long bytes) {
        checkRegister();
        if (bytes < 0) {
            throw new IllegalArgumentException("There is no memory of " + bytes + " bytes.");
        }
        if (!plugin.takeQuota(bytes, forwarding.settings().userBufferQuotaBytes())) {
            return null;
        }
        quotaBytes += bytes;
        try {
            registered = Arena.ofAuto().allocate(bytes, ALIGNMENT);
        } catch (OutOfMemoryError e) {
            return null; // the quota is larger than the machine
        }
        return registered;
    }

    /** Takes memory that the function names. */
    void register(MemorySegment memory, @Nullable Consumer<MemorySegment> whenSent) {
        checkRegister();
        if (memory.isNative() && !memory.isAccessibleBy(forwarding.another())) {
            throw new IllegalArgumentException("The buffer is confined to a thread.");
        }
        try {
            takeQuota(memory.byteSize());
        } catch (ZoidException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        registered = memory;
        callback = whenSent;
        countUnaligned(memory);
    }

    @Override
    public void pushUserBuffer(long bytes) {
        MemorySegment memory = registered;
        if (bytes == 0) {
            return;
        }
        if (memory == null || memory.byteSize() < bytes) {
            throw new ZoidException(
                    ZoidError.EREMOTEIO,
                    0,
                    "The function returned %d bytes, and registered %s."
                            .formatted(
                                    bytes,
                                    memory == null ? "no buffer" : memory.byteSize() + " bytes"));
        }
        push(0, memory.asSlice(0, bytes));
    }

    private void takeQuota(long bytes) {
        if (!plugin.takeQuota(bytes, forwarding.settings().userBufferQuotaBytes())) {
            throw new ZoidException(
                    ZoidError.EDQUOT,
                    0,
                    "With " + bytes + " bytes more the memory of the plug-in is beyond its quota.");
        }
        quotaBytes += bytes;
    }

    /** Frees the memory of the call; in the thread of the function. */
    @Override
    public void close() {
        Semaphore reply = replyBuffer;
        if (reply != null) {
            reply.release();
        }
        if (ownsLarge) {
            process.large().release();
        }
        plugin.giveQuota(quotaBytes);
        MemorySegment orphan = allocated;
        if (orphan != null && !started) {
            plugin.abandoned(orphan);
        }
        MemorySegment sent = registered;
        Consumer<MemorySegment> whenSent = callback;
        if (sent != null && whenSent != null) {
            plugin.tell("a callback", _ -> whenSent.accept(sent));
        }
    }

    static ZoidException interrupted() {
        Thread.currentThread().interrupt();
        return new ZoidException(ZoidError.EINTR, 0, "The call is not wanted any more.");
    }
}

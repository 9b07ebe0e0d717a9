package org.jbmi.zoid.forward.client;

import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.zoid.forward.wire.Alignment;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** The memory of one call that the server may use. Not thread-safe. */
final class Exposures implements AutoCloseable {
    private final Shipper shipper;
    private final Thread another;
    private final LongAdder copies;
    private final LongAdder unaligned;
    private final List<BulkHandle> handles = new ArrayList<>(2);
    private final List<MemorySegment> interim = new ArrayList<>(0);
    private final List<MemorySegment> wanted = new ArrayList<>(0);

    Exposures(Shipper shipper, Thread another, LongAdder copies, LongAdder unaligned) {
        this.shipper = shipper;
        this.another = another;
        this.copies = copies;
        this.unaligned = unaligned;
    }

    Optional<BulkHandle> in(List<MemorySegment> memory) {
        return memory.isEmpty() ? Optional.empty() : expose(usable(memory, true), Permission.READ);
    }

    Optional<BulkHandle> out(List<MemorySegment> memory) {
        return memory.isEmpty()
                ? Optional.empty()
                : expose(usable(memory, false), Permission.WRITE);
    }

    private Optional<BulkHandle> expose(List<MemorySegment> memory, Permission permission) {
        BulkHandle handle = shipper.expose(memory, permission);
        handles.add(handle);
        return Optional.of(handle);
    }

    /** Copies memory that other threads cannot access to memory that they can. */
    private List<MemorySegment> usable(List<MemorySegment> memory, boolean goesIn) {
        List<MemorySegment> usable = new ArrayList<>(memory.size());
        for (MemorySegment each : memory) {
            if (!Alignment.isKept(each)) {
                unaligned.increment();
            }
            if (canShare(each)) {
                usable.add(each);
                continue;
            }
            copies.increment();
            MemorySegment copy = Arena.ofAuto().allocate(each.byteSize());
            copy.copyFrom(
                    each); // outputs too: bytes that the server does not send keep their values
            if (!goesIn) {
                interim.add(copy);
                wanted.add(each);
            }
            usable.add(copy);
        }
        return usable;
    }

    private boolean canShare(MemorySegment memory) {
        if (memory.isNative()) {
            return memory.isAccessibleBy(another);
        }
        return memory.heapBase().filter(byte[].class::isInstance).isPresent();
    }

    /** After the reply: copies outputs to the memory of the caller. */
    void copyBack() {
        for (int i = 0; i < interim.size(); i++) {
            wanted.get(i).copyFrom(interim.get(i));
        }
    }

    /** Ends the exposure of all memory. */
    @Override
    public void close() {
        handles.forEach(BulkHandle::close);
    }
}

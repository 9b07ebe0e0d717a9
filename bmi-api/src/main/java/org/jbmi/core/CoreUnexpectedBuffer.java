package org.jbmi.core;

import org.jbmi.PeerAddress;
import org.jbmi.spi.UnexpectedBuffer;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** One unexpected message: waiting in a queue, held by the program, or free for the next. */
final class CoreUnexpectedBuffer implements UnexpectedBuffer {
    private final UnexpectedStore store;

    /** Odd while the program holds it; written under the store's lock. */
    private volatile long serial;

    private long uses;

    CorePeer peer;
    int tag;
    int messageClass;
    int error;
    MemorySegment memory = MemorySegment.NULL;
    long offset;
    long sizeBytes;
    long token;

    /** Counts all messages of the instance, for the order among queues. */
    long arrival;

    @Nullable CoreUnexpectedBuffer next;

    CoreUnexpectedBuffer(UnexpectedStore store, CorePeer peer) {
        this.store = store;
        this.peer = peer;
    }

    /** Passes from the store to the program or back. */
    void passOn() {
        serial = ++uses;
    }

    long address() {
        return memory.address() + offset;
    }

    @Override
    public long serial() {
        return serial;
    }

    @Override
    public PeerAddress peer() {
        return peer;
    }

    @Override
    public int tag() {
        return tag;
    }

    @Override
    public int messageClass() {
        return messageClass;
    }

    @Override
    public int error() {
        return error;
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public boolean free(long atSerial) {
        return store.free(this, atSerial);
    }
}

package org.jbmi.core.unexpected;

import org.jbmi.ErrorCode;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.spi.LinkedNode;
import org.jbmi.spi.VarHandles;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** One unexpected message: waiting in a queue, held by the program, or free for the next. */
final class UnexpectedBuffer extends LinkedNode {
    private static final VarHandle SERIAL =
            VarHandles.of(MethodHandles.lookup(), UnexpectedBuffer.class, "serial", long.class);

    private final UnexpectedStore store;

    /** Odd while the program holds the message; written under the store's lock. */
    private volatile long serial;

    private long uses;

    CorePeer peer;
    int tag;
    int messageClass;
    ErrorCode outcome = ErrorCode.SUCCESS;
    MemorySegment memory = MemorySegment.NULL;
    long offset;
    long sizeBytes;
    long token;

    /** Numbers all messages of the instance, for the order among queues. */
    long arrival;

    UnexpectedBuffer(UnexpectedStore store, CorePeer peer) {
        this.store = store;
        this.peer = peer;
    }

    /** Changes the owner: from the store to the program, or back. */
    void passOn() {
        SERIAL.setRelease(this, ++uses);
    }

    long address() {
        return memory.address() + offset;
    }

    /** Tells one use of this object from the next; changes when the message is freed. */
    long serial() {
        return serial;
    }

    /**
     * Gives the memory back.
     *
     * @param atSerial the serial at the time of delivery
     * @return false if it was freed before; nothing happened
     */
    boolean free(long atSerial) {
        return store.free(this, atSerial);
    }

    /** Gives back the memory of all messages of a test call; this is one of them. */
    void freeAll(UnexpectedSlots out) {
        store.freeAll(out);
    }
}

package org.jbmi.zoid.client;

import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.GrantMover;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;

/** All copies of a client's payload. */
final class ClientCopies {
    private static final int MOST_KEPT = 64;

    private final ClientLink link;
    private final SpinLock lock = new SpinLock();
    private final ArrayDeque<GrantMover> movers = new ArrayDeque<>();

    ClientCopies(ClientLink link) {
        this.link = link;
    }

    /** Puts a message into an eager slot. */
    void putEager(Operation operation, int slot) {
        int position = 0;
        for (int i = 0; i < operation.bufferCount(); i++) {
            MemorySegment buffer = operation.buffer(i);
            int length = (int) buffer.byteSize();
            link.putEager(slot, position, buffer, 0, length);
            position += length;
        }
    }

    /** Appends a short message to a request. */
    void putInline(Operation operation, Message request) {
        if (operation.bufferCount() == 1) {
            request.putBytes(operation.buffer(0));
            return;
        }
        MemorySegment whole = MemorySegment.ofArray(new byte[(int) operation.sizeBytes()]);
        long position = 0;
        for (int i = 0; i < operation.bufferCount(); i++) {
            MemorySegment buffer = operation.buffer(i);
            MemorySegment.copy(buffer, 0, whole, position, buffer.byteSize());
            position += buffer.byteSize();
        }
        request.putBytes(whole);
    }

    /** Whether a message is not longer than its data slot, if it is in one. */
    boolean isInSlot(Message data) {
        return data.kind() != ClientEvents.DATA_SLOT
                || ClientEvents.dataBytes(data) <= link.dataRoom();
    }

    /** Copies the bytes of a DATA or a DATA_SLOT to the program's buffers; they fit. */
    void takeData(Operation operation, Message data) {
        long left = ClientEvents.dataBytes(data);
        if (data.kind() == ClientEvents.DATA_SLOT) {
            takeSlot(operation, ClientEvents.slot(data), (int) left);
        } else {
            takeInline(operation, data, left);
        }
    }

    private void takeSlot(Operation operation, int slot, int bytes) {
        int position = 0;
        for (int i = 0; i < operation.bufferCount() && position < bytes; i++) {
            MemorySegment buffer = operation.buffer(i);
            int length = (int) Math.min(bytes - position, buffer.byteSize());
            link.readDataSlot(slot, position, buffer, length);
            position += length;
        }
    }

    private static void takeInline(Operation operation, Message data, long left) {
        if (operation.bufferCount() == 1) {
            data.copyBytes(ClientEvents.dataWord(), operation.buffer(0), left);
            return;
        }
        int done = 0;
        for (int i = 0; i < operation.bufferCount() && done < left; i++) {
            MemorySegment buffer = operation.buffer(i);
            for (long at = 0; at < buffer.byteSize() && done < left; at++, done++) {
                long word = data.word(ClientEvents.dataWord() + done / Long.BYTES);
                byte next = (byte) (word >>> (done % Long.BYTES * Byte.SIZE));
                buffer.set(ValueLayout.JAVA_BYTE, at, next);
            }
        }
    }

    /**
     * Moves the bytes of a claimed grant.
     *
     * @return false if the grant does not fit the operation, or its place is not in the segment
     */
    boolean move(Operation operation, Message grant) {
        long bytes = ClientEvents.grantBytes(grant);
        boolean receives = operation.kind() == OperationKind.RECEIVE;
        boolean fits =
                receives
                        ? bytes >= 0 && bytes <= operation.sizeBytes()
                        : bytes == operation.sizeBytes();
        if (!fits) {
            return false;
        }
        GrantMover mover = take();
        try {
            if (!mover.begin(grant)) {
                return false;
            }
            return receives ? read(operation, mover, bytes) : write(operation, mover);
        } finally {
            give(mover);
        }
    }

    private static boolean write(Operation operation, GrantMover mover) {
        for (int i = 0; i < operation.bufferCount(); i++) {
            MemorySegment buffer = operation.buffer(i);
            if (!mover.write(buffer, 0, buffer.byteSize())) {
                return false;
            }
        }
        return true;
    }

    private static boolean read(Operation operation, GrantMover mover, long bytes) {
        long left = bytes;
        for (int i = 0; i < operation.bufferCount() && left > 0; i++) {
            MemorySegment buffer = operation.buffer(i);
            long length = Math.min(left, buffer.byteSize());
            if (!mover.read(buffer, 0, length)) {
                return false;
            }
            left -= length;
        }
        return left == 0;
    }

    private GrantMover take() {
        lock.lock();
        GrantMover mover = movers.pollLast();
        lock.unlock();
        return mover == null ? link.newMover() : mover;
    }

    private void give(GrantMover mover) {
        lock.lock();
        try {
            if (movers.size() < MOST_KEPT) {
                movers.addLast(mover); // this may allocate
            }
        } finally {
            lock.unlock();
        }
    }
}

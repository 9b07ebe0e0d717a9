package org.jbmi.tcp.io;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Bytes that were read and not yet parsed, in both views: for headers and for copying. */
public final class InBuffer {
    public final ByteBuffer bytes;
    public final MemorySegment memory;

    private InBuffer(ByteBuffer bytes) {
        this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
        this.memory = MemorySegment.ofBuffer(bytes.duplicate().clear());
    }

    /** A buffer to read into. */
    public static InBuffer direct(int capacityBytes) {
        return new InBuffer(ByteBuffer.allocateDirect(capacityBytes));
    }

    /** A copy of the rest of another buffer; its position shows how far it was parsed. */
    public static InBuffer copyOf(ByteBuffer rest) {
        byte[] copy = new byte[rest.remaining()];
        rest.get(rest.position(), copy);
        return new InBuffer(ByteBuffer.wrap(copy));
    }
}

package org.jbmi.zbmi.socket;

import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** An operation of the client in a simulated world. */
final class RemoteOperation extends Operation {
    enum State {
        POSTED,
        PENDING,
        MOVING,
        OVER
    }

    static final byte BLANK = 0x55;

    final long reference;
    final int number;
    final byte[] whole;
    State state = State.POSTED;
    long operationId;
    int eagerSlot = -1;
    long eagerSequence;
    boolean isCancelled;
    int outcome;
    long outcomeBytes;
    int reports;
    byte[] received;

    RemoteOperation(OperationKind kind, long reference, int number, int tag, List<byte[]> buffers) {
        this.kind = kind;
        this.reference = reference;
        this.number = number;
        this.tag = tag;
        this.bufferCount = buffers.size();
        int total = 0;
        for (byte[] part : buffers) {
            total += part.length;
        }
        this.sizeBytes = total;
        this.whole = new byte[total];
        if (buffers.size() == 1) {
            buffer = MemorySegment.ofArray(buffers.getFirst());
        } else {
            list = buffers.stream().map(MemorySegment::ofArray).toArray(MemorySegment[]::new);
        }
    }

    /** What the message of a number says: its number, again and again. */
    static byte content(int number, int position) {
        byte[] text = ("<" + number + ">").getBytes(StandardCharsets.US_ASCII);
        return text[position % text.length];
    }

    void fill(boolean withContent) {
        int position = 0;
        for (int i = 0; i < bufferCount(); i++) {
            MemorySegment part = buffer(i);
            for (long at = 0; at < part.byteSize(); at++) {
                byte value = withContent ? content(number, position) : BLANK;
                part.set(ValueLayout.JAVA_BYTE, at, value);
                position++;
            }
        }
    }

    byte[] bytes() {
        int position = 0;
        for (int i = 0; i < bufferCount(); i++) {
            MemorySegment part = buffer(i);
            MemorySegment.copy(part, 0, MemorySegment.ofArray(whole), position, part.byteSize());
            position += (int) part.byteSize();
        }
        return Arrays.copyOf(whole, position);
    }
}

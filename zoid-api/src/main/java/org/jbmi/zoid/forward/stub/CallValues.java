package org.jbmi.zoid.forward.stub;

import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.codec.MalformedException;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Writes the values of one message and reads those of the other; the common part of client and
 * server. For generated code. It counts the values that begin beyond the limit, and does not keep
 * them. Not thread-safe.
 */
public abstract class CallValues {
    final Encoder out = new Encoder(Integer.MAX_VALUE - 64);
    final Decoder in = new Decoder();
    private final long limitBytes;
    private @Nullable Encoder beyond;
    private long bytes;

    /**
     * Begins a message.
     *
     * @param content the message that is read
     * @param headerBytes what counts before anything was written
     * @param limitBytes how much may be written in all
     */
    protected CallValues(byte[] content, long headerBytes, long limitBytes) {
        in.reset(content, 0, content.length);
        this.bytes = headerBytes;
        this.limitBytes = limitBytes;
    }

    /**
     * Names another message that is read.
     *
     * @param content its bytes
     */
    protected final void read(byte[] content) {
        in.reset(content, 0, content.length);
    }

    /**
     * What was written.
     *
     * @return a copy
     */
    protected final byte[] written() {
        return out.toByteArray();
    }

    /**
     * By how much the message is too large.
     *
     * @return bytes; 0 if it fits
     */
    protected final long excessBytes() {
        return Math.max(0, bytes - limitBytes);
    }

    /**
     * How large the message is: header, what was written, and what was added.
     *
     * @return bytes
     */
    protected final long messageBytes() {
        return bytes;
    }

    /**
     * Counts bytes that belong to the message.
     *
     * @param added how many
     * @return whether the message still fits
     */
    protected final boolean add(long added) {
        bytes += added;
        return bytes <= limitBytes;
    }

    /** Says that an array is copied into a message, or out of one. */
    protected void arrayCopied() {}

    final boolean addArray(long count, int elementBytes) {
        arrayCopied();
        return add(Integer.BYTES + count * elementBytes);
    }

    /**
     * The message that is read.
     *
     * @return a decoder behind what was read before
     */
    public final Decoder in() {
        return in;
    }

    /**
     * Where the next value goes.
     *
     * @param added how many bytes it takes
     * @return an encoder, for this value only
     */
    public final Encoder out(int added) {
        add(added);
        return target();
    }

    /**
     * Says whether a value follows.
     *
     * @param value what may be missing
     * @return true if it is there, and is to be written next
     */
    public final boolean putPresence(@Nullable Object value) {
        out(1).putBoolean(value != null);
        return value != null;
    }

    /**
     * Writes a text.
     *
     * @param value the text
     */
    public final void putString(String value) {
        Encoder to = target();
        int before = to.size();
        to.putString(value);
        add(to.size() - before);
    }

    /** The message, or what keeps nothing beyond the limit. */
    private Encoder target() {
        if (bytes <= limitBytes) {
            return out;
        }
        Encoder counted = beyond;
        if (counted == null) {
            counted = new Encoder(Integer.MAX_VALUE - 64);
            beyond = counted;
        }
        counted.reset();
        return counted;
    }

    /**
     * Writes a record.
     *
     * @param codec its codec
     * @param value the record
     * @param <T> its type
     */
    public final <T> void put(Codec<T> codec, T value) {
        Encoder to = target();
        int before = to.size();
        codec.encode(value, to);
        add(to.size() - before);
    }

    /**
     * Writes a number of elements.
     *
     * @param count how many follow
     */
    public final void putCount(long count) {
        out(Integer.BYTES).putInt(Math.toIntExact(count));
    }

    /**
     * Writes the beginning of a segment.
     *
     * @param memory the segment
     * @param length how many bytes
     */
    public final void putMemory(MemorySegment memory, long length) {
        if (addArray(length, 1)) {
            byte[] copy = new byte[Math.toIntExact(length)];
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, copy, 0, copy.length);
            out.putBytes(copy);
        }
    }

    /**
     * Reads bytes.
     *
     * @return a new segment of the heap
     */
    public final MemorySegment getMemory() {
        return MemorySegment.ofArray(in.getBytes());
    }

    /**
     * Reads bytes into the beginning of a segment.
     *
     * @param into where to
     */
    public final void getMemory(MemorySegment into) {
        arrayCopied();
        byte[] content = in.getBytes();
        if (content.length > into.byteSize()) {
            throw tooMany(content.length, into.byteSize());
        }
        MemorySegment.copy(content, 0, into, ValueLayout.JAVA_BYTE, 0, content.length);
    }

    private static MalformedException tooMany(long count, long room) {
        return new MalformedException(count + " elements came for an array of " + room + ".");
    }

    final int elements(int elementBytes, int room) {
        arrayCopied();
        int count = in.getCount(elementBytes);
        if (count > room) {
            throw tooMany(count, room);
        }
        return count;
    }
}

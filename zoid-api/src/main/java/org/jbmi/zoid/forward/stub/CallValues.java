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
     * Ends the reading.
     *
     * @throws MalformedException if something is left
     */
    public final void end() {
        in.end();
    }

    /**
     * Says whether a value follows.
     *
     * @param value what may be missing
     * @return true if it is there, and is to be written next
     */
    public final boolean putPresence(@Nullable Object value) {
        putBoolean(value != null);
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

    /** Where a value goes whose size is known only when it is written. */
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
     * Reads a text.
     *
     * @return the text
     */
    public final String getString() {
        return in.getString();
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
     * Reads a record.
     *
     * @param codec its codec
     * @param <T> its type
     * @return the record
     */
    public final <T> T get(Codec<T> codec) {
        return codec.decode(in);
    }

    /**
     * Writes a number of elements.
     *
     * @param count how many follow
     */
    public final void putCount(long count) {
        putInt(Math.toIntExact(count));
    }

    /**
     * Reads a number of elements.
     *
     * @param elementBytes the least that each takes
     * @return as many as can follow at most
     */
    public final int getCount(int elementBytes) {
        return in.getCount(elementBytes);
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

    /**
     * Writes a {@code boolean}.
     *
     * @param value the value
     */
    public final void putBoolean(boolean value) {
        if (add(1)) {
            out.putBoolean(value);
        }
    }

    /**
     * Reads a {@code boolean}.
     *
     * @return the value
     */
    public final boolean getBoolean() {
        return in.getBoolean();
    }

    /**
     * Writes a {@code byte}.
     *
     * @param value the value
     */
    public final void putByte(byte value) {
        if (add(1)) {
            out.putByte(value);
        }
    }

    /**
     * Reads a {@code byte}.
     *
     * @return the value
     */
    public final byte getByte() {
        return in.getByte();
    }

    /**
     * Writes a {@code short}.
     *
     * @param value the value
     */
    public final void putShort(short value) {
        if (add(2)) {
            out.putShort(value);
        }
    }

    /**
     * Reads a {@code short}.
     *
     * @return the value
     */
    public final short getShort() {
        return in.getShort();
    }

    /**
     * Writes a {@code int}.
     *
     * @param value the value
     */
    public final void putInt(int value) {
        if (add(4)) {
            out.putInt(value);
        }
    }

    /**
     * Reads a {@code int}.
     *
     * @return the value
     */
    public final int getInt() {
        return in.getInt();
    }

    /**
     * Writes a {@code long}.
     *
     * @param value the value
     */
    public final void putLong(long value) {
        if (add(8)) {
            out.putLong(value);
        }
    }

    /**
     * Reads a {@code long}.
     *
     * @return the value
     */
    public final long getLong() {
        return in.getLong();
    }

    /**
     * Writes a {@code float}.
     *
     * @param value the value
     */
    public final void putFloat(float value) {
        if (add(4)) {
            out.putFloat(value);
        }
    }

    /**
     * Reads a {@code float}.
     *
     * @return the value
     */
    public final float getFloat() {
        return in.getFloat();
    }

    /**
     * Writes a {@code double}.
     *
     * @param value the value
     */
    public final void putDouble(double value) {
        if (add(8)) {
            out.putDouble(value);
        }
    }

    /**
     * Reads a {@code double}.
     *
     * @return the value
     */
    public final double getDouble() {
        return in.getDouble();
    }
}

package org.jbmi.shipper.codec;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Reads values one after the other, little endian. Each get method throws a {@link
 * MalformedException} if too few bytes are left. The decoder compares each length with the bytes
 * that are left before it allocates. So a short message cannot make it allocate much. To be used
 * again after {@link #reset}. Not thread-safe.
 */
public final class Decoder {
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);

    /** What the library's UTF-8 decoder puts where bytes are no text. */
    private static final char REPLACEMENT = '\uFFFD';

    private byte[] bytes = new byte[0];
    private int position;
    private int end;

    /** Makes a decoder without content. */
    public Decoder() {}

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Starts to read.
     *
     * @param content the bytes; they must not change while they are read
     * @param offset where they begin
     * @param count how many they are
     */
    public void reset(byte[] content, int offset, int count) {
        Objects.checkFromIndexSize(offset, count, content.length);
        bytes = content;
        position = offset;
        end = offset + count;
    }

    /**
     * How much is left.
     *
     * @return bytes
     */
    public int remaining() {
        return end - position;
    }

    /**
     * Ends the reading.
     *
     * @throws MalformedException if something is left
     */
    public void end() {
        if (position != end) {
            throw new MalformedException(remaining() + " bytes follow after the end of the value.");
        }
    }

    /**
     * Reads a truth value.
     *
     * @return the value
     * @throws MalformedException if it is neither 0 nor 1
     */
    public boolean getBoolean() {
        byte value = getByte();
        if (value != 0 && value != 1) {
            throw new MalformedException("A truth value is 0 or 1, not " + value + ".");
        }
        return value == 1;
    }

    /**
     * Reads 8 bits.
     *
     * @return the value
     */
    public byte getByte() {
        need(Byte.BYTES);
        return bytes[position++];
    }

    /**
     * Reads 16 bits.
     *
     * @return the value
     */
    public short getShort() {
        need(Short.BYTES);
        short value = (short) SHORT.get(bytes, position);
        position += Short.BYTES;
        return value;
    }

    /**
     * Reads 32 bits.
     *
     * @return the value
     */
    public int getInt() {
        need(Integer.BYTES);
        int value = (int) INT.get(bytes, position);
        position += Integer.BYTES;
        return value;
    }

    /**
     * Reads 64 bits.
     *
     * @return the value
     */
    public long getLong() {
        need(Long.BYTES);
        long value = (long) LONG.get(bytes, position);
        position += Long.BYTES;
        return value;
    }

    /**
     * Reads 32 bits as a floating-point number.
     *
     * @return the value
     */
    public float getFloat() {
        return Float.intBitsToFloat(getInt());
    }

    /**
     * Reads 64 bits as a floating-point number.
     *
     * @return the value
     */
    public double getDouble() {
        return Double.longBitsToDouble(getLong());
    }

    /**
     * Reads how many elements follow.
     *
     * @param elementBytes the least that each of them takes, 1 or more
     * @return 0 to as many as can follow
     * @throws MalformedException if what is left has no room for so many
     */
    public int getCount(int elementBytes) {
        int count = getInt();
        if (count < 0 || count > remaining() / elementBytes) {
            throw new MalformedException(
                    "%d elements are announced, but %d bytes are left."
                            .formatted(Integer.toUnsignedLong(count), remaining()));
        }
        return count;
    }

    /**
     * Reads the ordinal of an enum constant.
     *
     * @param constants how many there are
     * @return 0 to {@code constants - 1}
     * @throws MalformedException if there is no such constant
     */
    public int getChoice(int constants) {
        int ordinal = Short.toUnsignedInt(getShort());
        if (ordinal >= constants) {
            throw new MalformedException(
                    "Constant %d was named, but there are %d.".formatted(ordinal, constants));
        }
        return ordinal;
    }

    /**
     * Reads a text.
     *
     * @return the text
     * @throws MalformedException if the bytes are no UTF-8
     */
    public String getString() {
        int count = getCount(1);
        String text = new String(bytes, position, count, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0) {
            checkText(count);
        }
        position += count;
        return text;
    }

    /** A replacement character was either sent, or stands for bytes that are no text. */
    private void checkText(int count) {
        try {
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes, position, count));
        } catch (CharacterCodingException e) {
            throw new MalformedException("A text is not in UTF-8.", e);
        }
    }

    /**
     * Reads bytes.
     *
     * @return a new array
     */
    public byte[] getBytes() {
        int count = getCount(1);
        byte[] value = new byte[count];
        System.arraycopy(bytes, position, value, 0, count);
        position += count;
        return value;
    }

    /**
     * Reads bytes alone.
     *
     * @param count how many
     * @return a view of the content, not a copy
     */
    public MemorySegment getRaw(int count) {
        need(count);
        MemorySegment value = MemorySegment.ofArray(bytes).asSlice(position, count).asReadOnly();
        position += count;
        return value;
    }

    /**
     * Reads a handle of exposed memory.
     *
     * @return a handle whose close does nothing
     * @throws MalformedException if it has a negative size, or no permission
     */
    public BulkHandle getHandle() {
        BulkHandle.Token owner = getToken();
        BulkHandle.Token key = getToken();
        long number = getLong();
        long sizeBytes = getLong();
        Permission permission = Permission.ofBits(getInt());
        if (sizeBytes < 0 || getInt() != 0) {
            throw new MalformedException("A handle has a size of 0 or more, and ends with zeros.");
        }
        return new BulkHandle(owner, key, number, sizeBytes, permission);
    }

    /**
     * Reads 128 bits.
     *
     * @return the value
     */
    public BulkHandle.Token getToken() {
        long low = getLong();
        return new BulkHandle.Token(getLong(), low);
    }

    private void need(int count) {
        if (remaining() < count) {
            throw new MalformedException(
                    "%d bytes are needed, but %d are left.".formatted(count, remaining()));
        }
    }
}

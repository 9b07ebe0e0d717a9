package org.jbmi.shipper.codec;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes values one after the other, little endian, into an array that grows as far as a limit.
 * Beyond the limit each put method throws a {@link org.jbmi.BmiException} with EMSGSIZE. To be used
 * again after {@link #reset}. Not thread-safe.
 */
public final class Encoder {
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);
    private static final int FIRST_BYTES = 256;

    private final int limit;
    private byte[] bytes;
    private int position;

    /**
     * Makes an encoder without content.
     *
     * @param limit the most bytes it takes
     */
    public Encoder(int limit) {
        this.limit = limit;
        this.bytes = new byte[Math.min(limit, FIRST_BYTES)];
    }

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    /** Empties it; the array stays. */
    public void reset() {
        position = 0;
    }

    /**
     * How many bytes were written.
     *
     * @return bytes
     */
    public int size() {
        return position;
    }

    /**
     * The array that it writes into: valid until more is written.
     *
     * @return an array of which {@link #size()} bytes count
     */
    public byte[] array() {
        return bytes;
    }

    /**
     * What was written.
     *
     * @return a copy
     */
    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, position);
    }

    /**
     * Leaves a gap, which may be filled later.
     *
     * @param count its length in bytes
     */
    public void skip(int count) {
        room(count);
        position += count;
    }

    /**
     * Writes a truth value in one byte.
     *
     * @param value what to write
     */
    public void putBoolean(boolean value) {
        putByte((byte) (value ? 1 : 0));
    }

    /**
     * Writes 8 bits.
     *
     * @param value what to write
     */
    public void putByte(byte value) {
        room(Byte.BYTES);
        bytes[position++] = value;
    }

    /**
     * Writes 16 bits.
     *
     * @param value what to write
     */
    public void putShort(short value) {
        room(Short.BYTES);
        SHORT.set(bytes, position, value);
        position += Short.BYTES;
    }

    /**
     * Writes 32 bits.
     *
     * @param value what to write
     */
    public void putInt(int value) {
        room(Integer.BYTES);
        INT.set(bytes, position, value);
        position += Integer.BYTES;
    }

    /**
     * Writes 64 bits.
     *
     * @param value what to write
     */
    public void putLong(long value) {
        room(Long.BYTES);
        LONG.set(bytes, position, value);
        position += Long.BYTES;
    }

    /**
     * Writes 32 bits of a floating-point number, every NaN as it is.
     *
     * @param value what to write
     */
    public void putFloat(float value) {
        putInt(Float.floatToRawIntBits(value));
    }

    /**
     * Writes 64 bits of a floating-point number, every NaN as it is.
     *
     * @param value what to write
     */
    public void putDouble(double value) {
        putLong(Double.doubleToRawLongBits(value));
    }

    /**
     * Writes how many elements follow.
     *
     * @param count 0 or more
     */
    public void putCount(int count) {
        putInt(count);
    }

    /**
     * Writes the ordinal of an enum constant.
     *
     * @param ordinal 0 to 65535
     */
    public void putChoice(int ordinal) {
        putShort((short) ordinal);
    }

    /**
     * Writes a text in UTF-8, behind its length in bytes.
     *
     * @param value what to write
     * @throws BmiException with {@link ErrorCode#EINVAL} if half of a surrogate pair is missing
     */
    public void putString(String value) {
        checkPairs(value);
        putBytes(value.getBytes(StandardCharsets.UTF_8));
    }

    private static void checkPairs(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean pair =
                        Character.isHighSurrogate(c)
                                && i + 1 < value.length()
                                && Character.isLowSurrogate(value.charAt(i + 1));
                if (!pair) {
                    throw new BmiException(
                            ErrorCode.EINVAL,
                            "The text has half of a surrogate pair at character " + i + ".");
                }
                i++;
            }
        }
    }

    /**
     * Writes bytes behind their count.
     *
     * @param value what to write
     */
    public void putBytes(byte[] value) {
        putInt(value.length);
        putRaw(value, 0, value.length);
    }

    /**
     * Writes bytes alone.
     *
     * @param value where they are
     * @param offset where they begin
     * @param count how many they are
     */
    public void putRaw(byte[] value, int offset, int count) {
        room(count);
        System.arraycopy(value, offset, bytes, position, count);
        position += count;
    }

    /**
     * Writes a handle of exposed memory.
     *
     * @param handle what to write
     */
    public void putHandle(BulkHandle handle) {
        putToken(handle.owner());
        putToken(handle.key());
        putLong(handle.number());
        putLong(handle.sizeBytes());
        putInt(handle.permission().bits());
        putInt(0);
    }

    /**
     * Writes 128 bits, the lower half first.
     *
     * @param token what to write
     */
    public void putToken(BulkHandle.Token token) {
        putLong(token.low());
        putLong(token.high());
    }

    private void room(int count) {
        if (bytes.length - position < count) {
            grow(count);
        }
    }

    private void grow(int count) {
        long needed = (long) position + count;
        if (needed > limit) {
            throw new BmiException(
                    ErrorCode.EMSGSIZE, "What is written takes more than " + limit + " bytes.");
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(limit, Math.max(needed, 2L * bytes.length)));
    }
}

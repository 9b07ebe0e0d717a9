package org.jbmi.zoid.forward.stub;

import org.jbmi.shipper.codec.Codec;

import java.util.function.IntFunction;

/** Writes and reads arrays, too. For generated code. Not thread-safe. */
public abstract class CallArguments extends CallValues {
    /**
     * Begins a message.
     *
     * @param content the message that is read
     * @param headerBytes what counts before anything was written
     * @param limitBytes how much may be written in all
     */
    protected CallArguments(byte[] content, long headerBytes, long limitBytes) {
        super(content, headerBytes, limitBytes);
    }

    /**
     * Writes the beginning of an array of records.
     *
     * @param codec the codec of its elements
     * @param values the array
     * @param count how many of its elements
     * @param <T> their type
     */
    public final <T> void putRecords(Codec<T> codec, T[] values, long count) {
        arrayCopied();
        putCount(count);
        for (int i = 0; i < count; i++) {
            put(codec, values[i]);
        }
    }

    /**
     * Reads an array of records.
     *
     * @param codec the codec of its elements
     * @param array makes an array
     * @param <T> their type
     * @return a new array
     */
    public final <T> T[] getRecords(Codec<T> codec, IntFunction<T[]> array) {
        T[] values = array.apply(in.getCount(1));
        for (int i = 0; i < values.length; i++) {
            values[i] = codec.decode(in);
        }
        return values;
    }

    /**
     * Reads records into the beginning of an array.
     *
     * @param codec the codec of its elements
     * @param into where to
     * @param <T> their type
     */
    public final <T> void getRecords(Codec<T> codec, T[] into) {
        int count = elements(1, into.length);
        for (int i = 0; i < count; i++) {
            into[i] = codec.decode(in);
        }
    }

    /**
     * Writes the beginning of an array.
     *
     * @param values the array
     * @param count how many of its elements
     */
    public final void putBooleans(boolean[] values, long count) {
        if (addArray(count, 1)) {
            out.putCount((int) count);
            for (int i = 0; i < count; i++) {
                out.putBoolean(values[i]);
            }
        }
    }

    /**
     * Reads an array.
     *
     * @return a new array
     */
    public final boolean[] getBooleans() {
        boolean[] values = new boolean[in.getCount(1)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.getBoolean();
        }
        return values;
    }

    /**
     * Reads elements into the beginning of an array.
     *
     * @param into where to
     */
    public final void getBooleans(boolean[] into) {
        int count = elements(1, into.length);
        for (int i = 0; i < count; i++) {
            into[i] = in.getBoolean();
        }
    }

    /**
     * Writes the beginning of an array.
     *
     * @param values the array
     * @param count how many of its elements
     */
    public final void putBytes(byte[] values, long count) {
        if (addArray(count, 1)) {
            out.putCount((int) count);
            for (int i = 0; i < count; i++) {
                out.putByte(values[i]);
            }
        }
    }

    /**
     * Reads an array.
     *
     * @return a new array
     */
    public final byte[] getBytes() {
        byte[] values = new byte[in.getCount(1)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.getByte();
        }
        return values;
    }

    /**
     * Reads elements into the beginning of an array.
     *
     * @param into where to
     */
    public final void getBytes(byte[] into) {
        int count = elements(1, into.length);
        for (int i = 0; i < count; i++) {
            into[i] = in.getByte();
        }
    }

    /**
     * Writes the beginning of an array.
     *
     * @param values the array
     * @param count how many of its elements
     */
    public final void putShorts(short[] values, long count) {
        if (addArray(count, 2)) {
            out.putCount((int) count);
            for (int i = 0; i < count; i++) {
                out.putShort(values[i]);
            }
        }
    }

    /**
     * Reads an array.
     *
     * @return a new array
     */
    public final short[] getShorts() {
        short[] values = new short[in.getCount(2)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.getShort();
        }
        return values;
    }

    /**
     * Reads elements into the beginning of an array.
     *
     * @param into where to
     */
    public final void getShorts(short[] into) {
        int count = elements(2, into.length);
        for (int i = 0; i < count; i++) {
            into[i] = in.getShort();
        }
    }

    /**
     * Writes the beginning of an array.
     *
     * @param values the array
     * @param count how many of its elements
     */
    public final void putInts(int[] values, long count) {
        if (addArray(count, 4)) {
            out.putCount((int) count);
            for (int i = 0; i < count; i++) {
                out.putInt(values[i]);
            }
        }
    }

    /**
     * Reads an array.
     *
     * @return a new array
     */
    public final int[] getInts() {
        int[] values = new int[in.getCount(4)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.getInt();
        }
        return values;
    }

    /**
     * Reads elements into the beginning of an array.
     *
     * @param into where to
     */
    public final void getInts(int[] into) {
        int count = elements(4, into.length);
        for (int i = 0; i < count; i++) {
            into[i] = in.getInt();
        }
    }

    /**
     * Writes the beginning of an array.
     *
     * @param values the array
     * @param count how many of its elements
     */
    public final void putLongs(long[] values, long count) {
        if (addArray(count, 8)) {
            out.putCount((int) count);
            for (int i = 0; i < count; i++) {
                out.putLong(values[i]);
            }
        }
    }

    /**
     * Reads an array.
     *
     * @return a new array
     */
    public final long[] getLongs() {
        long[] values = new long[in.getCount(8)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.getLong();
        }
        return values;
    }

    /**
     * Reads elements into the beginning of an array.
     *
     * @param into where to
     */
    public final void getLongs(long[] into) {
        int count = elements(8, into.length);
        for (int i = 0; i < count; i++) {
            into[i] = in.getLong();
        }
    }

    /**
     * Writes the beginning of an array.
     *
     * @param values the array
     * @param count how many of its elements
     */
    public final void putFloats(float[] values, long count) {
        if (addArray(count, 4)) {
            out.putCount((int) count);
            for (int i = 0; i < count; i++) {
                out.putFloat(values[i]);
            }
        }
    }

    /**
     * Reads an array.
     *
     * @return a new array
     */
    public final float[] getFloats() {
        float[] values = new float[in.getCount(4)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.getFloat();
        }
        return values;
    }

    /**
     * Reads elements into the beginning of an array.
     *
     * @param into where to
     */
    public final void getFloats(float[] into) {
        int count = elements(4, into.length);
        for (int i = 0; i < count; i++) {
            into[i] = in.getFloat();
        }
    }

    /**
     * Writes the beginning of an array.
     *
     * @param values the array
     * @param count how many of its elements
     */
    public final void putDoubles(double[] values, long count) {
        if (addArray(count, 8)) {
            out.putCount((int) count);
            for (int i = 0; i < count; i++) {
                out.putDouble(values[i]);
            }
        }
    }

    /**
     * Reads an array.
     *
     * @return a new array
     */
    public final double[] getDoubles() {
        double[] values = new double[in.getCount(8)];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.getDouble();
        }
        return values;
    }

    /**
     * Reads elements into the beginning of an array.
     *
     * @param into where to
     */
    public final void getDoubles(double[] into) {
        int count = elements(8, into.length);
        for (int i = 0; i < count; i++) {
            into[i] = in.getDouble();
        }
    }
}

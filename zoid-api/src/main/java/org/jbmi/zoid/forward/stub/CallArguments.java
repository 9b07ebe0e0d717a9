package org.jbmi.zoid.forward.stub;

import org.jbmi.shipper.codec.Codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.nio.ByteOrder;
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
     * @param values an array of primitives
     * @param count how many of its elements
     */
    public final void putArray(Object values, long count) {
        ValueLayout layout = layoutOf(values);
        int elementBytes = (int) layout.byteSize();
        if (!addArray(count, elementBytes)) {
            return;
        }
        out.putCount((int) count);
        if (values instanceof boolean[] truths) {
            for (int i = 0; i < count; i++) {
                out.putBoolean(truths[i]);
            }
            return;
        }
        int at = out.size();
        out.skip(Math.toIntExact(count * elementBytes));
        MemorySegment to = MemorySegment.ofArray(out.array());
        MemorySegment.copy(values, 0, to, layout, at, (int) count);
    }

    /**
     * Reads an array.
     *
     * @param array makes an array of primitives
     * @param <A> its type
     * @return a new array
     */
    public final <A> A getElements(IntFunction<A> array) {
        int elementBytes = (int) layoutOf(array.apply(0)).byteSize();
        int count = in.getCount(elementBytes);
        A values = array.apply(count);
        getElements(values, count);
        return values;
    }

    /**
     * Reads elements into the beginning of an array.
     *
     * @param into an array of primitives
     */
    public final void getArray(Object into) {
        int elementBytes = (int) layoutOf(into).byteSize();
        getElements(into, elements(elementBytes, Array.getLength(into)));
    }

    private void getElements(Object into, int count) {
        if (into instanceof boolean[] truths) {
            for (int i = 0; i < count; i++) {
                truths[i] = in.getBoolean();
            }
            return;
        }
        ValueLayout layout = layoutOf(into);
        MemorySegment from = in.getRaw(Math.toIntExact(count * layout.byteSize()));
        MemorySegment.copy(from, layout, 0, into, 0, count);
    }

    private static ValueLayout layoutOf(Object array) {
        ValueLayout layout =
                switch (array) {
                    case boolean[] _, byte[] _ -> ValueLayout.JAVA_BYTE;
                    case short[] _ -> ValueLayout.JAVA_SHORT_UNALIGNED;
                    case int[] _ -> ValueLayout.JAVA_INT_UNALIGNED;
                    case long[] _ -> ValueLayout.JAVA_LONG_UNALIGNED;
                    case float[] _ -> ValueLayout.JAVA_FLOAT_UNALIGNED;
                    case double[] _ -> ValueLayout.JAVA_DOUBLE_UNALIGNED;
                    default -> throw new IllegalArgumentException("no array of primitives");
                };
        return layout.withOrder(ByteOrder.LITTLE_ENDIAN);
    }
}

package org.jbmi.rig.perf.phase;

import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Encoder;

import java.util.Base64;

/** Records as lines of text: the bytes that the shipper would send, in Base64. */
public final class WorkerLine {
    private static final int MAX_BYTES = 1 << 24;

    private WorkerLine() {}

    /** {@return a record as a line, without its end} */
    public static <T> String of(Class<T> type, T value) {
        Encoder out = new Encoder(MAX_BYTES);
        Codec.of(type).encode(value, out);
        return Base64.getEncoder().encodeToString(out.toByteArray());
    }

    /**
     * Reads a line.
     *
     * @param type a record that can be shipped
     * @param line what {@link #of} gave
     * @throws RuntimeException if the line is anything else
     */
    public static <T> T parse(Class<T> type, String line) {
        byte[] bytes = Base64.getDecoder().decode(line);
        Decoder in = new Decoder();
        in.reset(bytes, 0, bytes.length);
        T value = Codec.of(type).decode(in);
        in.end();
        return value;
    }
}

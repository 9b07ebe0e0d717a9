package org.jbmi.shipper.codec;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

/**
 * Turns values of one type into bytes and back. Usually generated, see {@link Shipped}. Keeps no
 * state, so that any thread may use it.
 *
 * @param <T> the type
 */
public interface Codec<T> {
    /**
     * A text that describes the format. A call fails with a clear error if the texts of the two
     * sides differ.
     *
     * @return for example {@code "{file:i64,name:str}"}
     */
    String signature();

    /**
     * Writes a value.
     *
     * @param value the value
     * @param out the encoder
     * @throws NullPointerException if a component is null; the message names it
     * @throws BmiException with {@link ErrorCode#EMSGSIZE} if there is no room, {@link
     *     ErrorCode#EINVAL} if a text has half of a surrogate pair
     */
    void encode(T value, Encoder out);

    /**
     * Reads a value.
     *
     * @param in the decoder
     * @return the value
     * @throws MalformedException if the bytes are not those of such a value
     */
    T decode(Decoder in);

    /**
     * Finds the codec that was generated for a record.
     *
     * @param record a record with {@link Shipped}
     * @param <T> the type of the record
     * @return its codec
     * @throws BmiException with {@link ErrorCode#ENOSYS} if there is none, or if its package is
     *     closed to this module; the message says what to do
     */
    static <T> Codec<T> of(Class<T> record) {
        return GeneratedCodecs.find(record);
    }
}

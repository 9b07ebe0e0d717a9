package org.jbmi.shipper.wire;

import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.MalformedException;

/** The header of a received message. Reusable; not thread-safe. */
public final class Header {
    private int kind;
    private int flags;
    private long session;
    private long number;

    /** Makes one that was not read yet. */
    public Header() {}

    /**
     * Reads it.
     *
     * @param in a message, from its beginning; from behind its header afterwards
     * @throws MalformedException if it is no message of this version, or has flags that a message
     *     of its kind has not
     */
    public void read(Decoder in) {
        if (in.remaining() < Wire.HEADER_BYTES || in.getInt() != Wire.MAGIC) {
            throw new MalformedException("The message is not one of the shipper.");
        }
        int version = in.getByte();
        if (version != Wire.VERSION) {
            throw new MalformedException(
                    "The message has version %d, and version %d is spoken here."
                            .formatted(version, Wire.VERSION));
        }
        kind = in.getByte();
        flags = Short.toUnsignedInt(in.getShort());
        if ((flags & ~Wire.flagsOf(kind)) != 0) {
            throw new MalformedException(
                    "A message of kind %d has no flags %x.".formatted(kind, flags));
        }
        session = in.getLong();
        number = Integer.toUnsignedLong(in.getInt());
    }

    /** Its kind: one of those of {@link Wire}, or an unknown number. */
    public int kind() {
        return kind;
    }

    /** Whether it has a flag. */
    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /**
     * For a call: its client's index of the function, 1 to {@link Wire#MAX_FUNCTION_INDEX}; 0 for
     * none.
     */
    public int functionIndex() {
        return flags >>> Wire.FUNCTION_INDEX_SHIFT;
    }

    /** Its session; 0 before the welcome. */
    public long session() {
        return session;
    }

    /** The number of its call or transfer, 0 to {@link Wire#MAX_NUMBER}. */
    public long number() {
        return number;
    }
}

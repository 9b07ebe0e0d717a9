package org.jbmi.zoidfs.protocol;

import java.time.Instant;

/**
 * A time on the wire.
 *
 * @param seconds since 1970, 64 bits
 * @param nanos 0 to 999 999 999 in what a server sends
 */
public record Timestamp(long seconds, int nanos) {
    /** The beginning of 1970; also the value of a field without a time. */
    public static final Timestamp ZERO = new Timestamp(0, 0);

    private static final int NANOS_PER_SECOND = 1_000_000_000;

    /** From the JDK's type. */
    public static Timestamp of(Instant instant) {
        return new Timestamp(instant.getEpochSecond(), instant.getNano());
    }

    /** Whether a server can set it on a file. */
    public boolean isValid() {
        return nanos >= 0 && nanos < NANOS_PER_SECOND;
    }

    /** To the JDK's type; what lies outside its range becomes its end. */
    public Instant toInstant() {
        if (seconds < Instant.MIN.getEpochSecond()) {
            return Instant.MIN;
        }
        if (seconds >= Instant.MAX.getEpochSecond()) {
            return Instant.MAX;
        }
        return Instant.ofEpochSecond(seconds, nanos);
    }

    static Timestamp read(XdrReader reader, String field) throws XdrException {
        return new Timestamp(reader.readLong(field), reader.readInt(field));
    }

    void write(XdrWriter writer) {
        writer.writeLong(seconds).writeInt(nanos);
    }
}

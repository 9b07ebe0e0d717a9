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

    /** More seconds than the nanoseconds of a time can be. */
    private static final int SOME_SECONDS = 10;

    private static final long FIRST_SECOND = Instant.MIN.getEpochSecond();
    private static final long LAST_SECOND = Instant.MAX.getEpochSecond();

    /** From the JDK's type. */
    public static Timestamp of(Instant instant) {
        return new Timestamp(instant.getEpochSecond(), instant.getNano());
    }

    /** Whether a server can set it on a file. */
    public boolean isValid() {
        return nanos >= 0 && nanos < NANOS_PER_SECOND;
    }

    /**
     * To the JDK's type; what lies outside its range becomes its end. The nanoseconds may be any
     * number, since a server may send any.
     */
    public Instant toInstant() {
        long near = Math.clamp(seconds, FIRST_SECOND - SOME_SECONDS, LAST_SECOND + SOME_SECONDS);
        long second = near + Math.floorDiv(nanos, NANOS_PER_SECOND);
        if (second < FIRST_SECOND) {
            return Instant.MIN;
        }
        if (second > LAST_SECOND) {
            return Instant.MAX;
        }
        return Instant.ofEpochSecond(second, Math.floorMod(nanos, NANOS_PER_SECOND));
    }

    static Timestamp read(XdrReader reader, String field) throws XdrException {
        return new Timestamp(reader.readLong(field), reader.readInt(field));
    }

    void write(XdrWriter writer) {
        writer.writeLong(seconds).writeInt(nanos);
    }
}

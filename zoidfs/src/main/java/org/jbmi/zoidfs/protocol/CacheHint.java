package org.jbmi.zoidfs.protocol;

/**
 * Attributes of a parent directory in a reply, so that a client can check its cache.
 *
 * @param size length in bytes
 * @param atime last read
 * @param mtime last write
 * @param ctime last change of an attribute
 */
public record CacheHint(long size, Timestamp atime, Timestamp mtime, Timestamp ctime) {
    /** Its length on the wire. */
    public static final int SIZE_BYTES = 44;

    /** Zeros: this server gives no hints. */
    public static final CacheHint ZERO =
            new CacheHint(0, Timestamp.ZERO, Timestamp.ZERO, Timestamp.ZERO);

    static CacheHint read(XdrReader reader, String field) throws XdrException {
        return new CacheHint(
                reader.readLong(field),
                Timestamp.read(reader, field),
                Timestamp.read(reader, field),
                Timestamp.read(reader, field));
    }

    void write(XdrWriter writer) {
        writer.writeLong(size);
        atime.write(writer);
        mtime.write(writer);
        ctime.write(writer);
    }
}

package org.jbmi.zoidfs.protocol;

/**
 * The attributes that set_attr, create, mkdir and symlink give to a file.
 *
 * @param mask which fields have a value, see {@link AttributeMask#SETTABLE}
 * @param mode permission bits
 * @param uid owner
 * @param gid group
 * @param size without a meaning: resize sets the length
 * @param atime last read
 * @param mtime last write
 */
public record SettableAttributes(
        int mask, int mode, int uid, int gid, long size, Timestamp atime, Timestamp mtime) {
    /** Changes nothing. */
    public static final SettableAttributes NONE =
            new SettableAttributes(0, 0, 0, 0, 0, Timestamp.ZERO, Timestamp.ZERO);

    /** Only permission bits. */
    public static SettableAttributes ofMode(int mode) {
        return new SettableAttributes(
                AttributeMask.MODE, mode, 0, 0, 0, Timestamp.ZERO, Timestamp.ZERO);
    }

    /** Whether a field has a value. */
    public boolean has(int bit) {
        return (mask & bit) != 0;
    }

    static SettableAttributes read(XdrReader reader, String field) throws XdrException {
        return new SettableAttributes(
                reader.readShort(field),
                reader.readShort(field),
                reader.readInt(field),
                reader.readInt(field),
                reader.readLong(field),
                Timestamp.read(reader, field),
                Timestamp.read(reader, field));
    }

    void write(XdrWriter writer) {
        writer.writeInt(mask).writeInt(mode).writeInt(uid).writeInt(gid).writeLong(size);
        atime.write(writer);
        mtime.write(writer);
    }
}

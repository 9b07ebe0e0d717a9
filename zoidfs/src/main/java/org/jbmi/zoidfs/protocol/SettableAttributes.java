package org.jbmi.zoidfs.protocol;

import org.jspecify.annotations.Nullable;

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

    /** Only the numbers of owner and group; null leaves one as it is. */
    public static SettableAttributes ofOwners(@Nullable Integer uid, @Nullable Integer gid) {
        int mask = (uid == null ? 0 : AttributeMask.UID) | (gid == null ? 0 : AttributeMask.GID);
        return new SettableAttributes(
                mask,
                0,
                uid == null ? 0 : uid,
                gid == null ? 0 : gid,
                0,
                Timestamp.ZERO,
                Timestamp.ZERO);
    }

    /** Only the times of the last read and the last write; null leaves one as it is. */
    public static SettableAttributes ofTimes(@Nullable Timestamp atime, @Nullable Timestamp mtime) {
        int mask =
                (atime == null ? 0 : AttributeMask.ATIME)
                        | (mtime == null ? 0 : AttributeMask.MTIME);
        return new SettableAttributes(
                mask,
                0,
                0,
                0,
                0,
                atime == null ? Timestamp.ZERO : atime,
                mtime == null ? Timestamp.ZERO : mtime);
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

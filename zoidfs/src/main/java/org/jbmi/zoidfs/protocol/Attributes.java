package org.jbmi.zoidfs.protocol;

/**
 * The attributes of a file.
 *
 * @param type see {@link FileType}
 * @param mask which of the others have a value, see {@link AttributeMask}
 * @param mode permission bits, 07777, without the type
 * @param nlink names of the file
 * @param uid number of the owner
 * @param gid number of the group
 * @param size length in bytes
 * @param blocksize best size of a transfer in bytes
 * @param fsid number of the file system
 * @param fileid number of the file in it
 * @param atime last read
 * @param mtime last write
 * @param ctime last change of an attribute
 */
public record Attributes(
        int type,
        int mask,
        int mode,
        int nlink,
        int uid,
        int gid,
        long size,
        int blocksize,
        int fsid,
        long fileid,
        Timestamp atime,
        Timestamp mtime,
        Timestamp ctime) {
    /** Its length on the wire. */
    public static final int SIZE_BYTES = 84;

    /** Nothing but zeros. */
    public static final Attributes ZERO = asking(0);

    /** What a client sends to ask for some attributes. */
    public static Attributes asking(int mask) {
        return new Attributes(
                0, mask, 0, 0, 0, 0, 0, 0, 0, 0, Timestamp.ZERO, Timestamp.ZERO, Timestamp.ZERO);
    }

    /**
     * Returns the answer to a request for these attributes: the fields that the mask names, and the
     * type, have the file's values. All other fields stay as the client sent them. With an empty
     * mask nothing changes.
     */
    public Attributes answeredFrom(Attributes real) {
        if (mask == 0) {
            return this;
        }
        return new Attributes(
                real.type,
                mask,
                has(AttributeMask.MODE) ? real.mode : mode,
                has(AttributeMask.NLINK) ? real.nlink : nlink,
                has(AttributeMask.UID) ? real.uid : uid,
                has(AttributeMask.GID) ? real.gid : gid,
                has(AttributeMask.SIZE) ? real.size : size,
                has(AttributeMask.BLOCKSIZE) ? real.blocksize : blocksize,
                has(AttributeMask.FSID) ? real.fsid : fsid,
                has(AttributeMask.FILEID) ? real.fileid : fileid,
                has(AttributeMask.ATIME) ? real.atime : atime,
                has(AttributeMask.MTIME) ? real.mtime : mtime,
                has(AttributeMask.CTIME) ? real.ctime : ctime);
    }

    private boolean has(int bit) {
        return (mask & bit) != 0;
    }

    static Attributes read(XdrReader reader, String field) throws XdrException {
        return new Attributes(
                reader.readInt(field),
                reader.readShort(field),
                reader.readShort(field),
                reader.readInt(field),
                reader.readInt(field),
                reader.readInt(field),
                reader.readLong(field),
                reader.readInt(field),
                reader.readInt(field),
                reader.readLong(field),
                Timestamp.read(reader, field),
                Timestamp.read(reader, field),
                Timestamp.read(reader, field));
    }

    /** Reads what a server says of a file; the fields that were not asked for may be anything. */
    static Attributes readAnswer(XdrReader reader, String field, int asked) throws XdrException {
        Attributes attributes = read(reader, field);
        if ((asked & AttributeMask.SIZE) != 0 && attributes.size < 0) {
            throw new XdrException("The size of a file is less than 0");
        }
        return attributes;
    }

    void write(XdrWriter writer) {
        writer.writeInt(type).writeInt(mask).writeInt(mode).writeInt(nlink);
        writer.writeInt(uid).writeInt(gid).writeLong(size).writeInt(blocksize);
        writer.writeInt(fsid).writeLong(fileid);
        atime.write(writer);
        mtime.write(writer);
        ctime.write(writer);
    }
}

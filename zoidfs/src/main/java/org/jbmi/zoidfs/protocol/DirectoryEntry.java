package org.jbmi.zoidfs.protocol;

/**
 * One entry of a directory.
 *
 * @param name one character for each byte, at most 256
 * @param handle zeros unless handles were asked for
 * @param attributes zeros unless attributes were asked for
 * @param cookie the value with which a readdir continues after this entry
 */
public record DirectoryEntry(String name, FileHandle handle, Attributes attributes, long cookie) {
    /** The longest name that a client takes, in bytes. */
    public static final int MAX_NAME_BYTES = 256;

    /** The longest entry on the wire. */
    public static final int MAX_BYTES = 384;

    /**
     * Reads an entry whose attributes were asked for, or not, by the flags of the request.
     *
     * <p>Programs add the name to the path of the directory, so it must be a name as a kernel
     * gives.
     */
    static DirectoryEntry read(XdrReader reader, int flags) throws XdrException {
        String name = reader.readString(MAX_NAME_BYTES, "entry name");
        if (name.isEmpty() || name.indexOf('/') >= 0 || name.indexOf('\0') >= 0) {
            throw new XdrException("The name of an entry is empty, or has a slash or a NUL");
        }
        return new DirectoryEntry(
                name,
                FileHandle.read(reader, "entry handle"),
                Attributes.readAnswer(reader, "entry attributes", flags),
                reader.readLong("entry cookie"));
    }

    void write(XdrWriter writer) {
        writer.writeString(name);
        handle.write(writer);
        attributes.write(writer);
        writer.writeLong(cookie);
    }
}

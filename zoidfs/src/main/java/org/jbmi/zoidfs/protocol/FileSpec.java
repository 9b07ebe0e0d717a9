package org.jbmi.zoidfs.protocol;

import org.jspecify.annotations.Nullable;

/**
 * Names a file that may not exist yet. It does so by a path from the root of the export, or by a
 * directory's handle and a name in that directory.
 *
 * @param parent the directory, or null for a path
 * @param text the path or the name, one character for each byte
 */
public record FileSpec(@Nullable FileHandle parent, String text) {
    /**
     * The longest path that a reader accepts, in bytes; the C client sends paths of that length.
     */
    public static final int MAX_PATH_BYTES = 4_097;

    /** The longest name that a reader accepts, in bytes. */
    public static final int MAX_NAME_BYTES = 257;

    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if a character is no byte
     */
    public FileSpec {
        XdrWriter.checkBytes(text);
    }

    /** By a path. */
    public static FileSpec path(String path) {
        return new FileSpec(null, path);
    }

    /** By a directory and a name in it. */
    public static FileSpec child(FileHandle parent, String name) {
        return new FileSpec(parent, name);
    }

    static FileSpec read(XdrReader reader, String field) throws XdrException {
        if (reader.readInt(field) != 0) {
            return new FileSpec(null, reader.readString(MAX_PATH_BYTES, field));
        }
        FileHandle parent = FileHandle.read(reader, field);
        return new FileSpec(parent, reader.readString(MAX_NAME_BYTES, field));
    }

    void write(XdrWriter writer) {
        FileHandle directory = parent;
        writer.writeInt(directory == null ? 1 : 0);
        if (directory != null) {
            directory.write(writer);
        }
        writer.writeString(text);
    }
}

package org.jbmi.zoidfs.protocol;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;

/** The sixteen operations; in the order of their numbers. */
public enum Operation {
    /** Does nothing: for measuring a round trip. */
    NULL(0),
    /** Attributes of a file. */
    GET_ATTR(1),
    /** Changes attributes. */
    SET_ATTR(2),
    /** Finds the handle of a name; does not follow a link at the end of the path. */
    LOOKUP(3),
    /** The text of a symbolic link. */
    READLINK(4),
    /** Makes written data durable. */
    COMMIT(5),
    /** Makes a regular file, or finds it. */
    CREATE(6),
    /** Removes a file, a link or an empty directory. */
    REMOVE(7),
    /** Renames. */
    RENAME(8),
    /** Makes a symbolic link. */
    SYMLINK(9),
    /** Makes a directory. */
    MKDIR(10),
    /** Lists a directory, piece by piece. */
    READDIR(11),
    /** Sets the length of a file. */
    RESIZE(12),
    /** Writes regions. */
    WRITE(13),
    /** Reads regions. */
    READ(14),
    /** Makes a hard link. */
    LINK(15);

    private static final List<Operation> ALL = List.of(values());

    private final int number;

    Operation(int number) {
        this.number = number;
    }

    /** Its number on the wire. */
    public int number() {
        return number;
    }

    /** The operation with a number, or null if there is none. */
    public static @Nullable Operation of(int number) {
        return number >= 0 && number < ALL.size() ? ALL.get(number) : null;
    }

    /** Its name in counters and texts, for example {@code get_attr}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}

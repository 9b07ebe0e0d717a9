package org.jbmi.zoidfs.protocol;

import org.jspecify.annotations.Nullable;

/**
 * A request. Which components have a value depends on the operation; the others are null or 0. A
 * client makes it with one of the static methods, a server reads it from a message.
 *
 * @param operation what to do
 * @param handle the file, for operations on one
 * @param first the file, or where from
 * @param second where to, for operations on two names
 * @param settable attributes to be set
 * @param attributes which attributes the client asks for
 * @param number length of a text buffer (readlink), new size (resize), cookie (readdir)
 * @param maximum most entries (readdir), an unsigned number
 * @param flags which attributes and handles of entries the client asks for (readdir)
 * @param transfer regions (read and write)
 * @param hints hints
 */
public record Request(
        Operation operation,
        @Nullable FileHandle handle,
        @Nullable FileSpec first,
        @Nullable FileSpec second,
        @Nullable SettableAttributes settable,
        @Nullable Attributes attributes,
        long number,
        int maximum,
        int flags,
        @Nullable Transfer transfer,
        Hints hints) {

    /** The C client sends these bytes after the last field of a read or a write. */
    private static final int TRAILING_BYTES = 4;

    /** Reads a request; ignores bytes after its last field. */
    public static Request read(XdrReader reader) throws XdrException {
        int number = reader.readInt("operation");
        Operation operation = Operation.of(number);
        if (operation == null) {
            throw new XdrException("There is no operation " + number);
        }
        return switch (operation) {
            case NULL -> nothing();
            case GET_ATTR -> {
                FileHandle handle = FileHandle.read(reader, "handle");
                Attributes asked = Attributes.read(reader, "attributes");
                yield getAttr(handle, asked, Hints.read(reader));
            }
            case SET_ATTR -> {
                FileHandle handle = FileHandle.read(reader, "handle");
                SettableAttributes settable = SettableAttributes.read(reader, "settable");
                Attributes asked = Attributes.read(reader, "attributes");
                yield setAttr(handle, settable, asked, Hints.read(reader));
            }
            case LOOKUP, REMOVE -> {
                FileSpec file = FileSpec.read(reader, "file");
                yield onNames(operation, file, null, null, Hints.read(reader));
            }
            case READLINK -> {
                FileHandle handle = FileHandle.read(reader, "handle");
                yield onHandle(operation, handle, reader.readLong("length"), Hints.read(reader));
            }
            case COMMIT -> {
                FileHandle handle = FileHandle.read(reader, "handle");
                yield onHandle(operation, handle, 0, Hints.read(reader));
            }
            case RESIZE -> {
                FileHandle handle = FileHandle.read(reader, "handle");
                yield onHandle(operation, handle, reader.readLong("size"), Hints.read(reader));
            }
            case CREATE, MKDIR -> {
                FileSpec file = FileSpec.read(reader, "file");
                SettableAttributes settable = SettableAttributes.read(reader, "settable");
                yield onNames(operation, file, null, settable, Hints.read(reader));
            }
            case SYMLINK -> {
                FileSpec from = FileSpec.read(reader, "from");
                FileSpec to = FileSpec.read(reader, "to");
                SettableAttributes settable = SettableAttributes.read(reader, "settable");
                yield onNames(operation, from, to, settable, Hints.read(reader));
            }
            case RENAME, LINK -> {
                FileSpec from = FileSpec.read(reader, "from");
                FileSpec to = FileSpec.read(reader, "to");
                yield onNames(operation, from, to, null, Hints.read(reader));
            }
            case READDIR -> {
                FileHandle handle = FileHandle.read(reader, "handle");
                long cookie = reader.readLong("cookie");
                int maximum = reader.readInt("maximum");
                int flags = reader.readInt("flags");
                yield readdir(handle, cookie, maximum, flags, Hints.read(reader));
            }
            case READ, WRITE -> {
                FileHandle handle = FileHandle.read(reader, "handle");
                Transfer transfer = Transfer.read(reader);
                // The data moves, whatever the hints are.
                yield moving(operation, handle, transfer, Hints.readOrNone(reader));
            }
        };
    }

    /** Does nothing. */
    public static Request nothing() {
        return new Request(Operation.NULL, null, null, null, null, null, 0, 0, 0, null, Hints.NONE);
    }

    /** Asks for attributes. */
    public static Request getAttr(FileHandle handle, Attributes asked, Hints hints) {
        return new Request(
                Operation.GET_ATTR, handle, null, null, null, asked, 0, 0, 0, null, hints);
    }

    /** Sets attributes and asks for some. */
    public static Request setAttr(
            FileHandle handle, SettableAttributes settable, Attributes asked, Hints hints) {
        return new Request(
                Operation.SET_ATTR, handle, null, null, settable, asked, 0, 0, 0, null, hints);
    }

    /** readlink, commit or resize. */
    public static Request onHandle(
            Operation operation, FileHandle handle, long number, Hints hints) {
        return new Request(operation, handle, null, null, null, null, number, 0, 0, null, hints);
    }

    /** lookup, remove, create, mkdir, symlink, rename or link. */
    public static Request onNames(
            Operation operation,
            FileSpec first,
            @Nullable FileSpec second,
            @Nullable SettableAttributes settable,
            Hints hints) {
        return new Request(operation, null, first, second, settable, null, 0, 0, 0, null, hints);
    }

    /** Lists a directory. */
    public static Request readdir(
            FileHandle handle, long cookie, int maximum, int flags, Hints hints) {
        return new Request(
                Operation.READDIR,
                handle,
                null,
                null,
                null,
                null,
                cookie,
                maximum,
                flags,
                null,
                hints);
    }

    /** read or write. */
    public static Request moving(
            Operation operation, FileHandle handle, Transfer transfer, Hints hints) {
        return new Request(operation, handle, null, null, null, null, 0, 0, 0, transfer, hints);
    }

    /** Its bytes on the wire. */
    public byte[] toByteArray() {
        XdrWriter writer = new XdrWriter();
        writer.writeInt(operation.number());
        if (operation == Operation.NULL) {
            return writer.toByteArray();
        }
        if (handle != null) {
            handle.write(writer);
        }
        if (first != null) {
            first.write(writer);
        }
        if (second != null) {
            second.write(writer);
        }
        if (settable != null) {
            settable.write(writer);
        }
        if (attributes != null) {
            attributes.write(writer);
        }
        switch (operation) {
            case READLINK, RESIZE -> writer.writeLong(number);
            case READDIR -> writer.writeLong(number).writeInt(maximum).writeInt(flags);
            default -> {}
        }
        if (transfer != null) {
            transfer.write(writer);
        }
        hints.write(writer);
        if (transfer != null) {
            writer.writeOpaque(new byte[TRAILING_BYTES]);
        }
        return writer.toByteArray();
    }
}

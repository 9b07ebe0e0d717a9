package org.jbmi.zoidfs.protocol;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * A reply. It has results only if the status is 0; which components have a value depends on the
 * operation.
 *
 * @param status see {@link Status}
 * @param handle what lookup and create found
 * @param created whether create made it
 * @param attributes the results of get_attr and set_attr
 * @param text the text of a link
 * @param first a parent's cache hint
 * @param second the other parent's cache hint
 * @param entries what readdir found
 * @param sizes bytes moved for each region of the file
 * @param hints hints, in dialects that have them
 */
public record Reply(
        int status,
        @Nullable FileHandle handle,
        boolean created,
        @Nullable Attributes attributes,
        @Nullable String text,
        CacheHint first,
        CacheHint second,
        List<DirectoryEntry> entries,
        @Nullable LongList sizes,
        Hints hints) {

    /** The longest text of a link that a client takes, in bytes. */
    private static final int MAX_TEXT_BYTES = 4_097;

    /** The length of a list of no entries. */
    public static final int EMPTY_LIST_BYTES = 3 * Integer.BYTES + CacheHint.SIZE_BYTES;

    private static final Reply DONE = of(Status.OK);

    /** Keeps a copy. */
    public Reply {
        entries = List.copyOf(entries);
    }

    /** A reply without hints of parents. */
    private static Reply of(
            int status,
            @Nullable FileHandle handle,
            boolean created,
            @Nullable Attributes attributes,
            @Nullable String text,
            List<DirectoryEntry> entries,
            @Nullable LongList sizes,
            Hints hints) {
        return new Reply(
                status,
                handle,
                created,
                attributes,
                text,
                CacheHint.ZERO,
                CacheHint.ZERO,
                entries,
                sizes,
                hints);
    }

    private static Reply of(int status) {
        return of(status, null, false, null, null, List.of(), null, Hints.NONE);
    }

    /** An error, or success without results. */
    public static Reply status(int status) {
        return status == Status.OK ? DONE : of(status);
    }

    /** A handle. */
    public static Reply handle(FileHandle handle, boolean created) {
        return of(Status.OK, handle, created, null, null, List.of(), null, Hints.NONE);
    }

    /** Attributes. */
    public static Reply attributes(Attributes attributes, Hints hints) {
        return of(Status.OK, null, false, attributes, null, List.of(), null, hints);
    }

    /** The text of a link. */
    public static Reply text(String text) {
        return of(Status.OK, null, false, null, text, List.of(), null, Hints.NONE);
    }

    /** Entries. */
    public static Reply entries(List<DirectoryEntry> entries) {
        return of(Status.OK, null, false, null, null, entries, null, Hints.NONE);
    }

    /** Bytes moved. */
    public static Reply sizes(LongList sizes, Hints hints) {
        return of(Status.OK, null, false, null, null, List.of(), sizes, hints);
    }

    /** Its bytes on the wire, exactly as many as the fields have. */
    public byte[] toByteArray(Operation operation, Dialect dialect) {
        XdrWriter writer = new XdrWriter();
        writer.writeInt(status);
        if (status == Status.OK) {
            writeResults(operation, writer);
            if (dialect.repliesHints(operation)) {
                hints.write(writer);
            }
        }
        return writer.toByteArray();
    }

    private void writeResults(Operation operation, XdrWriter writer) {
        if (handle != null) {
            handle.write(writer);
        }
        if (operation == Operation.CREATE) {
            writer.writeInt(created ? 1 : 0);
        }
        if (attributes != null) {
            attributes.write(writer);
        }
        if (text != null) {
            writer.writeString(text);
        }
        if (sizes != null) {
            writer.writeLongs(sizes);
        }
        switch (operation) {
            case REMOVE, MKDIR -> first.write(writer);
            case RENAME, SYMLINK, LINK -> {
                first.write(writer);
                second.write(writer);
            }
            case READDIR -> {
                // The count stands there twice: as a result and as the length of the array.
                writer.writeInt(entries.size()).writeInt(entries.size());
                entries.forEach(entry -> entry.write(writer));
                first.write(writer);
            }
            default -> {}
        }
    }

    /** Reads the reply to a request. */
    public static Reply read(XdrReader reader, Request request, Dialect dialect)
            throws XdrException {
        int status = reader.readInt("status");
        if (status != Status.OK) {
            return status(status);
        }
        Operation operation = request.operation();
        Reply reply =
                switch (operation) {
                    case NULL, COMMIT, RESIZE -> DONE;
                    case LOOKUP -> handle(FileHandle.read(reader, "handle"), false);
                    case CREATE -> {
                        FileHandle handle = FileHandle.read(reader, "handle");
                        yield handle(handle, reader.readInt("created") != 0);
                    }
                    case GET_ATTR, SET_ATTR -> {
                        Attributes asked = request.attributes();
                        int mask = asked == null ? 0 : asked.mask();
                        yield attributes(
                                Attributes.readAnswer(reader, "attributes", mask), Hints.NONE);
                    }
                    case READLINK -> text(readText(reader));
                    case REMOVE, MKDIR -> hinted(CacheHint.read(reader, "hint"), CacheHint.ZERO);
                    case RENAME, SYMLINK, LINK -> {
                        CacheHint first = CacheHint.read(reader, "hint");
                        yield hinted(first, CacheHint.read(reader, "hint"));
                    }
                    case READDIR -> readEntries(reader, request.maximum(), request.flags());
                    case READ, WRITE -> sizes(reader.readLongs("sizes"), Hints.NONE);
                };
        return dialect.repliesHints(operation) ? reply.withHints(Hints.read(reader)) : reply;
    }

    private static String readText(XdrReader reader) throws XdrException {
        String text = reader.readString(MAX_TEXT_BYTES, "text");
        if (text.isEmpty() || text.indexOf('\0') >= 0) {
            throw new XdrException("The text of a link is empty, or has a NUL");
        }
        return text;
    }

    private static Reply hinted(CacheHint first, CacheHint second) {
        return new Reply(
                Status.OK, null, false, null, null, first, second, List.of(), null, Hints.NONE);
    }

    private static Reply readEntries(XdrReader reader, int maximum, int flags) throws XdrException {
        reader.readInt("entry count");
        int count = reader.readInt("entry count");
        if (Integer.compareUnsigned(count, maximum) > 0) {
            throw new XdrException("There are more entries than were asked for");
        }
        List<DirectoryEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(DirectoryEntry.read(reader, flags));
        }
        CacheHint.read(reader, "hint");
        return entries(entries);
    }

    /** The same with hints. */
    public Reply withHints(Hints newHints) {
        return new Reply(
                status, handle, created, attributes, text, first, second, entries, sizes, newHints);
    }

    /** The longest reply that a request can get: the length of the buffer for it. */
    public static long maximumBytes(Request request, Dialect dialect) {
        Transfer transfer = request.transfer();
        long results =
                switch (request.operation()) {
                    case NULL, COMMIT, RESIZE -> 0;
                    case LOOKUP -> FileHandle.SIZE_BYTES;
                    case CREATE -> FileHandle.SIZE_BYTES + Integer.BYTES;
                    case GET_ATTR, SET_ATTR -> Attributes.SIZE_BYTES;
                    case READLINK -> Integer.BYTES + ((request.number() + 3) & ~3L);
                    case REMOVE, MKDIR -> CacheHint.SIZE_BYTES;
                    case RENAME, SYMLINK, LINK -> 2 * CacheHint.SIZE_BYTES;
                    case READDIR ->
                            EMPTY_LIST_BYTES
                                    - Integer.BYTES
                                    + Integer.toUnsignedLong(request.maximum())
                                            * DirectoryEntry.MAX_BYTES;
                    case READ, WRITE ->
                            Integer.BYTES
                                    + (transfer == null
                                            ? 0
                                            : (long) Long.BYTES * transfer.fileSizes().size());
                };
        long hintBytes = dialect.repliesHints(request.operation()) ? HINT_BLOCK_BYTES : 0;
        return Integer.BYTES + results + hintBytes;
    }

    private static final int HINT_BLOCK_BYTES = 32_768;
}

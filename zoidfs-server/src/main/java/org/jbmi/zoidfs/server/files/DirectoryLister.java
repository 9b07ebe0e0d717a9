package org.jbmi.zoidfs.server.files;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import org.jbmi.zoidfs.protocol.AttributeMask;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.os.FileStat;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Lists directories. A cookie is the position that the file system gives for an entry, so the
 * server keeps nothing between two requests.
 */
final class DirectoryLister {
    /** As many as C clients can take over tcp. */
    private static final int MAX_ENTRIES = 43_690;

    /** An entry with attributes or handles needs several system calls, and keeps a worker busy. */
    private static final int MAX_ENTRIES_WITH_MORE = 4_096;

    /** An entry on the wire without its name. */
    private static final int ENTRY_BYTES = 132;

    private static final int MORE_THAN_NAMES = AttributeMask.ALL | AttributeMask.READDIR_HANDLES;
    private static final int LENGTH_AT = 16;
    private static final int NAME_AT = 19;

    private final ExportRoot root;

    DirectoryLister(ExportRoot root) {
        this.root = root;
    }

    /** Lists entries until their length on the wire reaches a number of bytes. */
    Reply list(SystemCalls calls, Request request, long mostBytes) throws FileFailure {
        OpenFile file = root.use(calls, Objects.requireNonNull(request.handle()));
        try {
            int directory =
                    FileFailure.check(
                            root.withFreeDescriptors(
                                    calls,
                                    () -> calls.open(file.place, ".", calls.directoryFlag(), 0)));
            try {
                return Reply.entries(read(calls, directory, request, mostBytes));
            } finally {
                calls.close(directory);
            }
        } finally {
            root.release(calls, file);
        }
    }

    private List<DirectoryEntry> read(
            SystemCalls calls, int directory, Request request, long mostBytes) throws FileFailure {
        if (request.number() < 0) {
            throw new FileFailure(Status.INVAL);
        }
        if (request.number() != 0) {
            FileFailure.check(calls.seek(directory, request.number()));
        }
        boolean more = (request.flags() & MORE_THAN_NAMES) != 0;
        int most = more ? MAX_ENTRIES_WITH_MORE : MAX_ENTRIES;
        int wanted = request.maximum();
        int maximum = Integer.compareUnsigned(wanted, most) < 0 ? wanted : most;
        long leftBytes = mostBytes;
        List<DirectoryEntry> entries = new ArrayList<>();
        while (entries.size() < maximum && leftBytes > 0) {
            int filled = FileFailure.check(calls.readEntries(directory));
            if (filled == 0) {
                break;
            }
            MemorySegment memory = calls.entryMemory();
            for (int at = 0; at < filled && entries.size() < maximum && leftBytes > 0; ) {
                long cookie = memory.get(JAVA_LONG, at + 8);
                int length = memory.get(JAVA_SHORT, at + LENGTH_AT) & 0xffff;
                String name = memory.getString(at + NAME_AT, StandardCharsets.ISO_8859_1);
                entries.add(entry(calls, directory, name, cookie, request.flags()));
                leftBytes -= ENTRY_BYTES + name.length();
                at += length;
            }
        }
        return entries;
    }

    private DirectoryEntry entry(
            SystemCalls calls, int directory, String name, long cookie, int flags) {
        int mask = flags & AttributeMask.ALL;
        boolean handles = (flags & AttributeMask.READDIR_HANDLES) != 0;
        FileHandle handle = FileHandle.NONE;
        Attributes attributes = Attributes.ZERO;
        if (mask != 0 || handles) {
            // For ".." of the root a client gets the root itself: it must not see what is above.
            FileStat own = new FileStat();
            boolean above =
                    name.equals("..")
                            && calls.stat(directory, "", own) == 0
                            && root.isRoot(own, calls);
            int place = calls.openPlace(directory, above ? "." : name);
            if (place >= 0) {
                try {
                    FileStat stat = new FileStat();
                    if (calls.stat(place, "", stat) == 0) {
                        attributes = Attributes.asking(mask).answeredFrom(stat.attributes());
                        handle = handles ? handleOrNone(calls, place, stat) : FileHandle.NONE;
                    }
                } finally {
                    calls.close(place);
                }
            }
        }
        return new DirectoryEntry(name, handle, attributes, cookie);
    }

    private FileHandle handleOrNone(SystemCalls calls, int place, FileStat stat) {
        try {
            return root.handleOf(calls, place, stat);
        } catch (FileFailure e) {
            return FileHandle.NONE;
        }
    }
}

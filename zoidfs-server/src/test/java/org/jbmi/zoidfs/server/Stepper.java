package org.jbmi.zoidfs.server;

import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Takes steps through a client. It keeps handles, also over restarts of the server. */
final class Stepper {
    private static final int ENTRIES_AT_ONCE = 2;

    private final ZoidfsClient client;
    private final Map<String, FileHandle> kept = new HashMap<>();

    Stepper(ZoidfsClient client) {
        this.client = client;
    }

    /** Takes a step; another failure than no answer is a fault, and thrown. */
    Step.Taken take(Step step) throws IOException {
        try {
            return new Step.Taken(true, run(step));
        } catch (ZoidfsException e) {
            if (e.getCause() == null) {
                throw e;
            }
            return Step.Taken.UNANSWERED;
        }
    }

    /** Something that is done with a file. */
    private interface Use {
        long of(FileHandle file) throws IOException;
    }

    /** A handle that is kept may be of a server that told its own only. */
    private long onFile(String path, Use use) throws IOException {
        FileHandle known = kept.get(path);
        if (known != null) {
            try {
                return use.of(known);
            } catch (ZoidfsException e) {
                if (e.status() != Status.STALE) {
                    throw e;
                }
            }
        }
        FileHandle found = client.lookup(FileSpec.path(path));
        kept.put(path, found);
        return use.of(found);
    }

    private long run(Step step) throws IOException {
        FileSpec file = FileSpec.path(step.path());
        FileSpec other = FileSpec.path(step.other());
        SettableAttributes mode = SettableAttributes.ofMode(step.size());
        switch (step.kind()) {
            case CREATE -> kept.put(step.path(), client.create(file, mode).handle());
            case MAKE_FOLDER -> client.makeDirectory(file, mode);
            case MAKE_SYMBOLIC_LINK -> client.symlink(step.text(), file);
            case LINK -> client.link(file, other);
            case REMOVE -> {
                kept.clear();
                client.remove(file);
            }
            case RENAME -> {
                kept.clear();
                client.rename(file, other);
            }
            default -> {
                return onFile(step.path(), handle -> onHandle(step, handle));
            }
        }
        return 0;
    }

    private long onHandle(Step step, FileHandle handle) throws IOException {
        switch (step.kind()) {
            case SET_MODE -> client.setAttributes(handle, SettableAttributes.ofMode(step.size()));
            case RESIZE -> client.resize(handle, step.size());
            case WRITE -> client.write(handle, memory(step), step.offset());
            case WRITE_REGIONS -> writeRegions(step, handle);
            case WRITE_BEHIND -> {
                client.writeBehind(handle, memory(step), step.offset());
                // Only now it counts.
                client.commit(handle);
            }
            case READ -> {
                byte[] content = new byte[step.size()];
                long read = client.read(handle, MemorySegment.ofArray(content), step.offset());
                return Arrays.hashCode(Arrays.copyOf(content, (int) read));
            }
            case READ_LINK -> {
                return client.readLink(handle).hashCode();
            }
            case GET_ATTRIBUTES -> {
                Attributes found = client.getAttributes(handle);
                return Objects.hash(found.size(), found.mode(), (long) found.nlink());
            }
            case LIST -> {
                return names(handle).hashCode();
            }
            case APPEND -> {
                return client.append(handle, memory(step), 0);
            }
            default -> throw new IllegalArgumentException("No step with a handle: " + step);
        }
        return 0;
    }

    /** Three regions of memory into two of the file. */
    private void writeRegions(Step step, FileHandle handle) throws IOException {
        MemorySegment all = memory(step);
        long third = all.byteSize() / 3;
        int first = step.firstBytes();
        client.moveList(
                true,
                handle,
                List.of(all.asSlice(0, third), all.asSlice(third, third), all.asSlice(2 * third)),
                LongList.of(step.offset(), step.offset() + first + Step.GAP_BYTES),
                LongList.of(first, step.size() - first));
    }

    private List<String> names(FileHandle folder) throws IOException {
        List<String> names = new ArrayList<>();
        long cookie = 0;
        List<DirectoryEntry> part;
        do {
            part = client.readDirectory(folder, cookie, ENTRIES_AT_ONCE, 0);
            for (DirectoryEntry entry : part) {
                cookie = entry.cookie();
                if (!entry.name().equals(".") && !entry.name().equals("..")) {
                    names.add(entry.name());
                }
            }
        } while (!part.isEmpty());
        names.sort(null);
        return names;
    }

    private static MemorySegment memory(Step step) {
        return MemorySegment.ofArray(step.bytes());
    }
}

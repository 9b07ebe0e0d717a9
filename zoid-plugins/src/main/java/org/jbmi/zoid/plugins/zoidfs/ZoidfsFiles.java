package org.jbmi.zoid.plugins.zoidfs;

import org.jbmi.BmiException;
import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.IntCell;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Timestamp;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The files of a zoidfs server, over its own protocol. A program can use this class to talk to a
 * zoidfs server directly. The plug-in uses it too: a ZOID server forwards the calls of its
 * processes. Those processes use the stub {@code ZoidfsClient} of this package. Both are {@link
 * Zoidfs}. Safe for use by any thread.
 */
public final class ZoidfsFiles implements Zoidfs {
    private static final int MOST_ENTRIES = 4096;

    private final ZoidfsClient client;
    private final Runnable whenUnloaded;

    /**
     * Files that a client reaches.
     *
     * @param client stays the caller's
     */
    public ZoidfsFiles(ZoidfsClient client) {
        this(client, () -> {});
    }

    ZoidfsFiles(ZoidfsClient client, Runnable whenUnloaded) {
        this.client = client;
        this.whenUnloaded = whenUnloaded;
    }

    @Override
    public void unloaded() {
        whenUnloaded.run();
    }

    /** Something that a server does; what it refuses is a status. */
    @FunctionalInterface
    private interface Operation {
        void run() throws IOException;
    }

    private static int status(Operation operation) {
        try {
            operation.run();
            return Status.OK;
        } catch (ZoidfsException e) {
            return e.status();
        } catch (IOException | BmiException e) {
            return Status.IO;
        } catch (IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException e) {
            return Status.INVAL;
        }
    }

    // ------------------------------------------------------------------ what travels

    private static FileHandle handle(ZoidfsHandle words) {
        return FileHandle.of(
                ByteBuffer.allocate(FileHandle.SIZE_BYTES)
                        .putLong(words.first())
                        .putLong(words.second())
                        .putLong(words.third())
                        .putLong(words.fourth())
                        .array());
    }

    private static ZoidfsHandle words(FileHandle handle) {
        ByteBuffer bytes = ByteBuffer.wrap(handle.toByteArray());
        return new ZoidfsHandle(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }

    private static FileSpec spec(@Nullable ZoidfsHandle parent, String name) {
        String text = ZoidfsClient.wireText(name);
        return parent == null ? FileSpec.path(text) : FileSpec.child(handle(parent), text);
    }

    private static Timestamp time(ZoidfsTime words) {
        return new Timestamp(words.seconds(), words.nanos());
    }

    private static ZoidfsTime words(Timestamp time) {
        return new ZoidfsTime(time.seconds(), time.nanos());
    }

    private static SettableAttributes settable(ZoidfsSattr words) {
        return new SettableAttributes(
                words.mask(),
                words.mode(),
                words.user(),
                words.group(),
                0,
                time(words.accessed()),
                time(words.modified()));
    }

    private static ZoidfsAttr words(Attributes known) {
        return new ZoidfsAttr(
                known.type(),
                known.mask(),
                known.mode(),
                known.nlink(),
                known.uid(),
                known.gid(),
                known.size(),
                known.blocksize(),
                known.fsid(),
                known.fileid(),
                words(known.atime()),
                words(known.mtime()),
                words(known.ctime()));
    }

    // ------------------------------------------------------------------ files

    @Override
    public int null_() {
        return status(client::ping);
    }

    @Override
    public int getattr(ZoidfsHandle handle, Cell<ZoidfsAttr> attributes) {
        return status(() -> attributes.set(words(client.getAttributes(handle(handle)))));
    }

    @Override
    public int setattr(ZoidfsHandle handle, ZoidfsSattr wanted, Cell<ZoidfsAttr> attributes) {
        return status(
                () ->
                        attributes.set(
                                words(client.setAttributes(handle(handle), settable(wanted)))));
    }

    @Override
    public int lookup(@Nullable ZoidfsHandle parent, String name, Cell<ZoidfsHandle> handle) {
        return status(() -> handle.set(words(client.lookup(spec(parent, name)))));
    }

    @Override
    public int readlink(ZoidfsHandle handle, MemorySegment buffer, LongCell length) {
        long room = length.get();
        length.set(0);
        return status(
                () -> {
                    byte[] text =
                            client.readLink(handle(handle)).getBytes(StandardCharsets.ISO_8859_1);
                    int size = (int) Math.min(text.length, room);
                    MemorySegment.copy(text, 0, buffer, ValueLayout.JAVA_BYTE, 0, size);
                    length.set(size);
                });
    }

    @Override
    public int commit(ZoidfsHandle handle) {
        return status(() -> client.commit(handle(handle)));
    }

    @Override
    public int create(
            @Nullable ZoidfsHandle parent,
            String name,
            ZoidfsSattr wanted,
            Cell<ZoidfsHandle> handle,
            IntCell created) {
        return status(
                () -> {
                    ZoidfsClient.Created made = client.create(spec(parent, name), settable(wanted));
                    handle.set(words(made.handle()));
                    created.set(made.isNew() ? 1 : 0);
                });
    }

    @Override
    public int remove(@Nullable ZoidfsHandle parent, String name) {
        return status(() -> client.remove(spec(parent, name)));
    }

    @Override
    public int rename(
            @Nullable ZoidfsHandle fromParent,
            String from,
            @Nullable ZoidfsHandle toParent,
            String to) {
        return status(() -> client.rename(spec(fromParent, from), spec(toParent, to)));
    }

    @Override
    public int link(
            @Nullable ZoidfsHandle fromParent,
            String from,
            @Nullable ZoidfsHandle toParent,
            String to) {
        return status(() -> client.link(spec(fromParent, from), spec(toParent, to)));
    }

    @Override
    public int symlink(String target, @Nullable ZoidfsHandle parent, String name) {
        return status(() -> client.symlink(ZoidfsClient.wireText(target), spec(parent, name)));
    }

    @Override
    public int mkdir(@Nullable ZoidfsHandle parent, String name, ZoidfsSattr wanted) {
        return status(() -> client.makeDirectory(spec(parent, name), settable(wanted)));
    }

    @Override
    public int readdir(
            ZoidfsHandle handle,
            long cookie,
            int flags,
            ZoidfsDirent[] entries,
            LongCell count,
            MemorySegment names,
            LongCell length) {
        int most = (int) Math.min(count.get(), MOST_ENTRIES);
        long room = length.get();
        count.set(0);
        length.set(0);
        return status(
                () -> {
                    long used = 0;
                    int found = 0;
                    for (DirectoryEntry each :
                            client.readDirectory(handle(handle), cookie, most, flags)) {
                        byte[] name = each.name().getBytes(StandardCharsets.ISO_8859_1);
                        if (found == 0 && name.length + 1 > room) {
                            throw new IllegalArgumentException("The first name does not fit.");
                        }
                        if (found == most || used + name.length + 1 > room) {
                            break; // asked for again, with the cookie of the last one
                        }
                        MemorySegment.copy(
                                name, 0, names, ValueLayout.JAVA_BYTE, used, name.length);
                        names.set(ValueLayout.JAVA_BYTE, used + name.length, (byte) 0);
                        used += name.length + 1;
                        entries[found++] =
                                new ZoidfsDirent(
                                        each.cookie(),
                                        words(each.handle()),
                                        words(each.attributes()));
                    }
                    count.set(found);
                    length.set(used);
                });
    }

    @Override
    public int resize(ZoidfsHandle handle, long size) {
        return status(() -> client.resize(handle(handle), size));
    }

    // ------------------------------------------------------------------ data

    @Override
    public int read(
            ZoidfsHandle handle,
            long memCount,
            MemorySegment[] memStarts,
            long[] memSizes,
            long fileCount,
            long[] fileStarts,
            long[] fileSizes) {
        long[] asked = fileSizes.clone();
        int status = move(false, handle, memStarts, memSizes, fileStarts, fileSizes);
        long end = status == Status.OK ? end(asked, fileSizes) : 0;
        for (int i = 0; i < memSizes.length; i++) { // only what was read travels
            memSizes[i] = Math.min(memSizes[i], end);
            end -= memSizes[i];
        }
        return status;
    }

    /** Where in the row of all regions the last byte is that was read. */
    private static long end(long[] asked, long[] read) {
        long end = 0;
        long start = 0;
        for (int i = 0; i < asked.length; i++) {
            end = read[i] > 0 ? start + read[i] : end;
            start += asked[i];
        }
        return end;
    }

    @Override
    public int write(
            ZoidfsHandle handle,
            long memCount,
            MemorySegment[] memStarts,
            long[] memSizes,
            long fileCount,
            long[] fileStarts,
            long[] fileSizes) {
        return move(true, handle, memStarts, memSizes, fileStarts, fileSizes);
    }

    private int move(
            boolean writing,
            ZoidfsHandle handle,
            MemorySegment[] memStarts,
            long[] memSizes,
            long[] fileStarts,
            long[] fileSizes) {
        long[] wanted = fileSizes.clone();
        int status =
                status(
                        () -> {
                            List<MemorySegment> memory = new ArrayList<>();
                            for (int i = 0; i < memSizes.length; i++) {
                                memory.add(memStarts[i].asSlice(0, memSizes[i]));
                            }
                            if (sum(memSizes) != sum(wanted)
                                    || fileStarts.length != wanted.length) {
                                throw new IllegalArgumentException("The sums differ.");
                            }
                            if (sum(wanted) == 0) {
                                return;
                            }
                            LongList moved =
                                    client.moveList(
                                            writing,
                                            handle(handle),
                                            memory,
                                            LongList.of(fileStarts),
                                            LongList.of(wanted));
                            for (int i = 0; i < fileSizes.length; i++) {
                                // A server is not trusted to have moved no more than was asked.
                                fileSizes[i] = Math.clamp(moved.get(i), 0, wanted[i]);
                            }
                        });
        if (status != Status.OK) {
            Arrays.fill(fileSizes, 0);
        }
        return status;
    }

    private static long sum(long[] sizes) {
        long sum = 0;
        for (long size : sizes) {
            sum = Math.addExact(sum, size);
        }
        return sum;
    }
}

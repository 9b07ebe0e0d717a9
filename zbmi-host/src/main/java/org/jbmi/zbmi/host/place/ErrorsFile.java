package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.FileFailure;
import org.jbmi.zbmi.attach.RuntimeDirectory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The distinct errors of a host in a file that other processes map, of constant size. A clean end
 * removes the file; a crash leaves it; the next host replaces it.
 *
 * <pre>
 *   0      magic "ZBMIERR1"          (8)
 *   8      version of this layout    (4)   1
 *   12     entries                   (4)
 *   512*k  entry k, from 1:
 *     0    how often                 (8)   0: free, and so are all that follow; stored last
 *     8    first seen, ms since 1970 (8)
 *     16   last seen                 (8)
 *     24   bytes of the text         (4)
 *     28   the text in UTF-8, up to 484 bytes; never changed
 * </pre>
 *
 * <p>All numbers are little-endian. One writer, guarded by its {@link ErrorLog}; any readers.
 */
public final class ErrorsFile implements AutoCloseable {
    private static final long MAGIC = 0x31525245494d425aL;
    private static final int VERSION = 1;
    private static final int ENTRY_BYTES = 512;
    private static final int TEXT_OFFSET = 28;
    private static final int MAX_TEXT_BYTES = ENTRY_BYTES - TEXT_OFFSET;
    private static final long MAX_BYTES = 4097L * ENTRY_BYTES;
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle COUNT = LONG.varHandle();

    private final OwnFile file;
    private final MemorySegment memory;

    private ErrorsFile(OwnFile file, MemorySegment memory) {
        this.file = file;
        this.memory = memory;
    }

    /**
     * Creates the file.
     *
     * @throws BmiException with {@link ErrorCode#ENOSPC} if it does not fit into its file system,
     *     {@link ErrorCode#EIO} if it cannot be made
     */
    public static ErrorsFile create(Path file) {
        int entries = ErrorLog.CAPACITY + 1;
        ReservedFile made =
                ReservedFile.create(file, (entries + 1L) * ENTRY_BYTES, "file of errors");
        MemorySegment memory = made.memory();
        memory.set(INT, 8, VERSION);
        memory.set(INT, 12, entries);
        COUNT.setRelease(memory, 0L, MAGIC);
        return new ErrorsFile(made.file(), memory);
    }

    /** Writes an entry; its index and text never change. */
    void put(int index, ErrorLog.Entry entry) {
        long at = (index + 1L) * ENTRY_BYTES;
        if ((long) COUNT.getAcquire(memory, at) == 0) {
            byte[] text = entry.text().getBytes(StandardCharsets.UTF_8);
            int length = Math.min(text.length, MAX_TEXT_BYTES);
            MemorySegment.copy(text, 0, memory, ValueLayout.JAVA_BYTE, at + TEXT_OFFSET, length);
            memory.set(INT, at + 24, length);
            memory.set(LONG, at + 8, entry.firstMs());
        }
        memory.set(LONG, at + 16, entry.lastMs());
        COUNT.setRelease(memory, at, entry.count());
    }

    /**
     * Reads the entries of a host, which may be running, writing, or have crashed.
     *
     * @return the entries, the oldest kind first; empty if there is no file
     * @throws BmiException with {@link ErrorCode#EPROTO} if the file has another format, {@link
     *     ErrorCode#EIO} if it cannot be read
     */
    public static List<ErrorLog.Entry> read(Path file) {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = FileCopy.of(file, MAX_BYTES + 1, arena);
            if (copy.byteSize() < ENTRY_BYTES || copy.byteSize() > MAX_BYTES) {
                throw strange(file);
            }
            return read(file, copy);
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO,
                    "Cannot read the file of errors %s: %s.".formatted(file, FileFailure.reason(e)),
                    e);
        }
    }

    /**
     * Reads the entries of all hosts of a runtime directory: the daemon or an embedded server, and
     * a direct server.
     *
     * @return each distinct error once, those of the daemon first
     * @throws BmiException as {@link #read(Path)} does
     */
    public static List<ErrorLog.Entry> readAll(RuntimeDirectory directory) {
        Map<String, ErrorLog.Entry> all = new LinkedHashMap<>();
        for (Path file : List.of(directory.errors(), directory.serverErrors())) {
            for (ErrorLog.Entry entry : read(file)) {
                all.merge(entry.text(), entry, ErrorLog.Entry::with);
            }
        }
        return List.copyOf(all.values());
    }

    private static List<ErrorLog.Entry> read(Path file, MemorySegment memory) {
        int entries = memory.get(INT, 12);
        boolean isSound =
                (long) COUNT.getAcquire(memory, 0L) == MAGIC
                        && memory.get(INT, 8) == VERSION
                        && entries >= 0
                        && (entries + 1L) * ENTRY_BYTES == memory.byteSize();
        if (!isSound) {
            throw strange(file);
        }
        List<ErrorLog.Entry> read = new ArrayList<>();
        for (int i = 1; i <= entries; i++) {
            long at = (long) i * ENTRY_BYTES;
            long count = (long) COUNT.getAcquire(memory, at);
            int length = memory.get(INT, at + 24);
            if (count <= 0 || length < 0 || length > MAX_TEXT_BYTES) {
                break;
            }
            byte[] text = new byte[length];
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at + TEXT_OFFSET, text, 0, length);
            read.add(
                    new ErrorLog.Entry(
                            new String(text, StandardCharsets.UTF_8),
                            count,
                            memory.get(LONG, at + 8),
                            memory.get(LONG, at + 16)));
        }
        return read;
    }

    private static BmiException strange(Path file) {
        return new BmiException(
                ErrorCode.EPROTO, "The file " + file + " is no file of errors of this version.");
    }

    @Override
    public void close() {
        file.remove();
    }
}

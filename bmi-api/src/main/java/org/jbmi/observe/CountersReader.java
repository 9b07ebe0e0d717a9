package org.jbmi.observe;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the counters of another process, in the layout of {@link Counters}. It checks everything in
 * the memory: a wrong layout is refused, and no value leads to an access outside of the memory. Any
 * thread may read.
 */
public final class CountersReader implements AutoCloseable {
    /**
     * A counter as it stood when it was read.
     *
     * @param spec what it is
     * @param value its value
     */
    public record Reading(CounterSpec spec, long value) {}

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment memory;
    private final int capacity;
    private final long writerPid;
    private final @Nullable FileChannel channel;
    private final @Nullable Arena arena;

    /**
     * Reads a set in memory that the caller keeps.
     *
     * @param memory the whole set, 8-byte aligned; lives as long as this reader is used
     * @throws BmiException with {@link ErrorCode#EPROTO} if it is no set of counters, or one of
     *     another version
     */
    public CountersReader(MemorySegment memory) {
        this(memory, null, null);
    }

    private CountersReader(
            MemorySegment memory, @Nullable FileChannel channel, @Nullable Arena arena) {
        long records = memory.byteSize() / Counters.RECORD_BYTES;
        if (records < 2 || (long) LONG.getAcquire(memory, 0L) != Counters.MAGIC) {
            throw damaged("it is no set of counters");
        }
        int version = memory.get(ValueLayout.JAVA_INT, Counters.VERSION_OFFSET);
        if (version != Counters.VERSION) {
            throw damaged(
                    "its layout is version "
                            + version
                            + ", and this program reads version "
                            + Counters.VERSION);
        }
        int claimed = memory.get(ValueLayout.JAVA_INT, Counters.CAPACITY_OFFSET);
        if (claimed < 1 || claimed > records - 1) {
            throw damaged("it has room for " + (records - 1) + " counters and claims " + claimed);
        }
        this.memory = memory;
        this.capacity = claimed;
        this.writerPid = memory.get(ValueLayout.JAVA_LONG, Counters.PID_OFFSET);
        this.channel = channel;
        this.arena = arena;
    }

    /**
     * Maps a file for reading.
     *
     * @param file a file of counters
     * @return an open reader
     * @throws BmiException with {@link ErrorCode#ENOENT} if the file cannot be opened, with {@link
     *     ErrorCode#EPROTO} if it is no set of counters, or one of another version
     */
    public static CountersReader open(Path file) {
        Arena arena = Arena.ofShared();
        FileChannel channel = null;
        CountersReader reader = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.READ);
            long size = channel.size();
            if (size > Counters.MAX_BYTES) {
                throw damaged("it has " + size + " bytes");
            }
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena);
            reader = new CountersReader(memory, channel, arena);
            return reader;
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.ENOENT, "The counters in " + file + " cannot be read: " + e, e);
        } finally {
            if (reader == null) {
                arena.close();
                closeQuietly(channel);
            }
        }
    }

    /**
     * Who counts.
     *
     * @return the id of the process that made the set
     */
    public long writerPid() {
        return writerPid;
    }

    /**
     * Reads all registered counters, one after the other, so the values are not of one moment.
     *
     * @return in the order of registration
     * @throws BmiException with {@link ErrorCode#EPROTO} if the memory no longer fits the layout,
     *     or the file was cut. With {@link ErrorCode#EIO} if the file cannot be read
     */
    public List<Reading> read() {
        checkSize();
        int count = (int) INT.getAcquire(memory, (long) Counters.COUNT_OFFSET);
        if (count < 0 || count > capacity) {
            throw damaged("it has room for " + capacity + " counters and claims to hold " + count);
        }
        List<Reading> readings = new ArrayList<>(count);
        for (int i = 1; i <= count; i++) {
            long record = (long) i * Counters.RECORD_BYTES;
            if ((int) INT.getAcquire(memory, record + Counters.STATE_OFFSET) == 1) {
                readings.add(new Reading(spec(record), (long) LONG.getVolatile(memory, record)));
            }
        }
        return readings;
    }

    /** Ends the mapping of a file; a set in the caller's memory stays as it is. */
    @Override
    public void close() {
        if (arena != null && arena.scope().isAlive()) {
            arena.close();
        }
        closeQuietly(channel);
    }

    /** A read of a mapped page behind the end of its file would be an error of the JVM. */
    private void checkSize() {
        try {
            if (channel != null && channel.size() < memory.byteSize()) {
                throw damaged("it was cut off");
            }
        } catch (IOException e) {
            throw new BmiException(ErrorCode.EIO, "The counters cannot be read: " + e, e);
        }
    }

    private CounterSpec spec(long record) {
        return new CounterSpec(
                memory.get(ValueLayout.JAVA_INT, record + Counters.ID_OFFSET),
                text(record + Counters.LABEL_OFFSET, Counters.LABEL_MAX_BYTES),
                text(record + Counters.UNIT_OFFSET, Counters.UNIT_MAX_BYTES));
    }

    private String text(long offset, int maxBytes) {
        int length = memory.get(ValueLayout.JAVA_SHORT, offset);
        if (length < 0 || length > maxBytes) {
            throw damaged("a text of it has " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset + Short.BYTES, bytes, 0, length);
        // What is printed later must not steer somebody's terminal.
        return new String(bytes, StandardCharsets.UTF_8).replaceAll("\\p{Cc}", "?");
    }

    private static BmiException damaged(String what) {
        return new BmiException(ErrorCode.EPROTO, "The counters cannot be read: " + what + ".");
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            System.getLogger("org.jbmi").log(System.Logger.Level.DEBUG, "counters", e);
        }
    }
}

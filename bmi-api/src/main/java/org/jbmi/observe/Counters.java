package org.jbmi.observe;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A bounded set of counters in one piece of memory, its own or that of a mapped file. Any thread
 * may use it. Registering takes a lock; counting takes none.
 *
 * <p>Layout, version 1, little-endian, every record 256 bytes. Values stand on cache lines of their
 * own, so that counting one does not slow another.
 *
 * <pre>
 *   record 0 (header)                       record 1 and on (one counter each)
 *   +---------------------------+ 0         +---------------------------+ 0
 *   | magic "JBMICNT1"          |           | value                     |
 *   +---------------------------+ 8         +---------------------------+ 128
 *   | layout version | capacity |           | id (4)  | state (4)       | state 1: record complete
 *   +---------------------------+ 16        +---------------------------+ 136
 *   | counters registered       |           | unit length, unit (2+22)  |
 *   +---------------------------+ 24        +---------------------------+ 160
 *   | pid of the writer         |           | label length, label(2+94) |
 *   +---------------------------+ 32        +---------------------------+ 256
 * </pre>
 */
public final class Counters {
    static final long MAGIC = 0x31544e43494d424aL;
    static final int VERSION = 1;
    static final int RECORD_BYTES = 256;
    static final int ID_OFFSET = 128;
    static final int STATE_OFFSET = 132;
    static final int UNIT_OFFSET = 136;
    static final int UNIT_MAX_BYTES = 22;
    static final int LABEL_OFFSET = 160;
    static final int LABEL_MAX_BYTES = 94;
    static final int VERSION_OFFSET = 8;
    static final int CAPACITY_OFFSET = 12;
    static final int COUNT_OFFSET = 16;
    static final int PID_OFFSET = 24;
    static final int MAX_RECORDS = 1 << 20;
    static final long MAX_BYTES = (long) MAX_RECORDS * RECORD_BYTES;
    static final int DEFAULT_CAPACITY = 512;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final MemorySegment memory;
    private final int capacity;
    private final Map<String, Counter> byLabel = new LinkedHashMap<>();

    private Counters(MemorySegment memory, int capacity) {
        this.memory = memory;
        this.capacity = capacity;
        memory.set(ValueLayout.JAVA_INT, VERSION_OFFSET, VERSION);
        memory.set(ValueLayout.JAVA_INT, CAPACITY_OFFSET, capacity);
        memory.set(ValueLayout.JAVA_LONG, PID_OFFSET, ProcessHandle.current().pid());
        LONG.setRelease(memory, 0L, MAGIC); // who sees it sees the rest
    }

    /**
     * A set in memory of this process.
     *
     * @return an empty set
     */
    public static Counters inMemory() {
        Arena arena = Arena.ofAuto();
        return new Counters(
                arena.allocate((long) (DEFAULT_CAPACITY + 1) * RECORD_BYTES, 256),
                DEFAULT_CAPACITY);
    }

    /**
     * A set in given memory, for example a mapped file that others read.
     *
     * @param memory zeroed memory, 256-byte aligned, of 512 bytes to 256 MiB; the caller keeps it
     *     alive as long as this set is used
     * @return an empty set
     * @throws BmiException with {@link ErrorCode#EINVAL} for memory of another size or alignment
     */
    public static Counters over(MemorySegment memory) {
        long records = memory.byteSize() / RECORD_BYTES;
        if (records < 2 || records > MAX_RECORDS || memory.address() % RECORD_BYTES != 0) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "Counters need 512 bytes or more, aligned to 256, up to a million records.");
        }
        return new Counters(memory, (int) records - 1);
    }

    /**
     * Finds or makes a counter. If the label exists, this returns its counter and ignores {@code
     * id} and {@code unit}.
     *
     * @param id a fixed number for its kind, see {@link CounterSpec}
     * @param label dotted name, unique in the set, up to 94 bytes
     * @param unit what one of it is, up to 22 bytes
     * @return the counter; the same one for the same label
     * @throws BmiException with {@link ErrorCode#ENOBUFS} if the set is full, with {@link
     *     ErrorCode#EINVAL} if a text is too long
     */
    public synchronized Counter register(int id, String label, String unit) {
        Counter known = byLabel.get(label);
        if (known != null) {
            return known;
        }
        int index = byLabel.size();
        if (index == capacity) {
            throw new BmiException(
                    ErrorCode.ENOBUFS,
                    "The set is full: it has room for " + capacity + " counters.");
        }
        long record = (long) (index + 1) * RECORD_BYTES;
        putText(record + UNIT_OFFSET, unit, UNIT_MAX_BYTES);
        putText(record + LABEL_OFFSET, label, LABEL_MAX_BYTES);
        memory.set(ValueLayout.JAVA_INT, record + ID_OFFSET, id);
        INT.setRelease(memory, record + STATE_OFFSET, 1);
        INT.setRelease(memory, (long) COUNT_OFFSET, index + 1);
        Counter counter = new Counter(memory, record, new CounterSpec(id, label, unit));
        byLabel.put(label, counter);
        return counter;
    }

    /**
     * Finds a counter by its label.
     *
     * @param label its dotted name
     * @return the counter, or null if nothing registered it
     */
    public synchronized @Nullable Counter find(String label) {
        return byLabel.get(label);
    }

    /**
     * All counters in the order of registration.
     *
     * @return a copy
     */
    public synchronized List<Counter> all() {
        return new ArrayList<>(byLabel.values());
    }

    private void putText(long offset, String text, int maxBytes) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > maxBytes) {
            throw new BmiException(
                    ErrorCode.EINVAL, "\"" + text + "\" is longer than " + maxBytes + " bytes.");
        }
        memory.set(ValueLayout.JAVA_SHORT, offset, (short) bytes.length);
        MemorySegment.copy(
                bytes, 0, memory, ValueLayout.JAVA_BYTE, offset + Short.BYTES, bytes.length);
    }
}

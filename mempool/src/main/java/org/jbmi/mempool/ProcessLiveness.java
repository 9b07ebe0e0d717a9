package org.jbmi.mempool;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The {@link Liveness} of the running system. On Linux it reads the process table under {@code
 * /proc}. It reads the start time in clock ticks since boot, which changes of the wall clock do not
 * affect. It also reads the state, since a killed process stays in the table until its parent
 * collects it. On other systems only the id decides.
 *
 * <p>Each call reads a small file. Use it for checks from time to time, not for each message.
 * Thread-safe. Processes in another process namespace, or hidden from this user, count as gone.
 */
public final class ProcessLiveness implements Liveness {
    /** Ticks are hundredths of a second on every supported processor, whatever the kernel's own. */
    private static final long TICK_MS = 10;

    /**
     * Of the fields after the name: the state, and the start time (fields 3 and 22 of the file).
     */
    private static final int STATE_FIELD = 0;

    private static final int START_FIELD = 19;

    private final Path processTable;
    private final boolean hasTable;

    /** Reads the process table of this host. */
    public ProcessLiveness() {
        this(Path.of("/proc"));
    }

    ProcessLiveness(Path processTable) {
        this.processTable = processTable;
        this.hasTable = Files.isReadable(processTable.resolve("self").resolve("stat"));
    }

    @Override
    public boolean isAlive(long pid, long startTimeMs) {
        if (pid <= 0) {
            return false;
        }
        if (!hasTable) {
            return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
        }
        String[] fields;
        try {
            fields = fieldsAfterName(pid);
        } catch (IOException e) {
            return existsAnyway(pid);
        }
        if (fields == null) {
            return existsAnyway(pid);
        }
        long started = startOf(fields);
        if (startTimeMs != START_UNKNOWN && started != startTimeMs) {
            return false;
        }
        return !isEnded(fields[STATE_FIELD]) || hasOtherThreads(pid);
    }

    @Override
    public long startTimeMs(long pid) {
        if (!hasTable || pid <= 0) {
            return START_UNKNOWN;
        }
        try {
            String[] fields = fieldsAfterName(pid);
            return fields == null ? START_UNKNOWN : startOf(fields);
        } catch (IOException e) {
            return START_UNKNOWN;
        }
    }

    private static boolean isEnded(String state) {
        return state.equals("Z") || state.equals("X") || state.equals("x");
    }

    private static long startOf(String[] fields) {
        return Long.parseLong(fields[START_FIELD]) * TICK_MS;
    }

    // The name is in parentheses and may itself hold spaces and parentheses: fields follow the
    // last.
    private String @Nullable [] fieldsAfterName(long pid) throws IOException {
        byte[] bytes = Files.readAllBytes(entry(pid).resolve("stat"));
        String line = new String(bytes, StandardCharsets.ISO_8859_1);
        int nameEnd = line.lastIndexOf(')');
        if (nameEnd < 0) {
            return null;
        }
        String[] fields = line.substring(nameEnd + 1).strip().split(" ", -1);
        boolean usable = fields.length > START_FIELD && isNumber(fields[START_FIELD]);
        return usable ? fields : null;
    }

    private static boolean isNumber(String field) {
        return !field.isEmpty()
                && field.length() < 18
                && field.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    // The first thread of a process may have ended while others still run; the same holds for a
    // killed process whose other threads are ending.
    private boolean hasOtherThreads(long pid) {
        try (Stream<Path> threads = Files.list(entry(pid).resolve("task"))) {
            return threads.count() > 1;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            return existsAnyway(pid);
        }
    }

    // The table could not be read: only a missing entry proves that the process has ended.
    private boolean existsAnyway(long pid) {
        return !Files.notExists(entry(pid), LinkOption.NOFOLLOW_LINKS);
    }

    private Path entry(long pid) {
        return processTable.resolve(Long.toString(pid));
    }
}

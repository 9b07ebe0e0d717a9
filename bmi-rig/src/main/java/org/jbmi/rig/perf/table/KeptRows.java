package org.jbmi.rig.perf.table;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows in a file, one line of JSON each. Each row is written when it is measured, so that those of
 * an interrupted table are not lost. If a row occurs twice, the later one counts.
 */
public final class KeptRows {
    private final Map<KeptRow.Key, KeptRow> rows = new LinkedHashMap<>();
    private final @Nullable Path file;

    private KeptRows(@Nullable Path file) {
        this.file = file;
    }

    /**
     * Keeps rows.
     *
     * @param file to append to; null to write nothing
     */
    public static KeptRows to(@Nullable Path file) {
        return new KeptRows(file);
    }

    /**
     * Reads kept rows.
     *
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if it has other lines; the message shows the first one
     */
    public static KeptRows of(Path file) throws IOException {
        KeptRows kept = new KeptRows(null);
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank()) {
                kept.put(line);
            }
        }
        return kept;
    }

    private KeptRow put(String line) {
        KeptRow row = KeptRow.parse(line);
        rows.put(row.key(), row);
        return row;
    }

    /** Adds a row. */
    KeptRow add(String line) throws IOException {
        if (file != null) {
            Files.writeString(
                    file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        return put(line);
    }

    /** A row; null if it is not there. */
    @Nullable KeptRow find(KeptRow.Key key) {
        return rows.get(key);
    }

    /**
     * The numbers of clients, receives or bytes in the rows of a table.
     *
     * @return all of them, the least first
     */
    public List<Integer> counts(String table) {
        return rows.keySet().stream()
                .filter(key -> key.table().equals(table))
                .map(KeptRow.Key::count)
                .distinct()
                .sorted()
                .toList();
    }
}

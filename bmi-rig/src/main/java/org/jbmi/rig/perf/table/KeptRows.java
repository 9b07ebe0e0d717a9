package org.jbmi.rig.perf.table;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Rows in a file, one line of JSON each. Each row is written when it is measured, so that those of
 * an interrupted table are not lost. If a row occurs twice, the later one counts.
 */
public final class KeptRows {
    /** Stands in a text where there were other bytes. */
    private static final char NOT_UTF_8 = '\uFFFD';

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
     * @param notices takes a sentence about each row that is left out because it is not complete
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if it has other lines; the message shows the first one
     */
    public static KeptRows of(Path file, Consumer<String> notices) throws IOException {
        KeptRows kept = new KeptRows(null);
        // A torn row may end within a character, so that not all has to be UTF-8.
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.isBlank()) {
                continue;
            }
            if (KeptRow.isTorn(line)) {
                notices.accept(file + ": line " + (i + 1) + " is no whole row; it is left out.");
            } else {
                kept.read(line, i + 1);
            }
        }
        return kept;
    }

    private void read(String line, int number) {
        try {
            put(line);
        } catch (IllegalArgumentException e) {
            throw line.indexOf(NOT_UTF_8) < 0
                    ? e
                    : new IllegalArgumentException("Line " + number + " is not UTF-8.", e);
        }
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
                    file,
                    (endsWithinALine(file) ? "\n" : "") + line + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
        return put(line);
    }

    /** Whether somebody was killed while he wrote the last row. */
    private static boolean endsWithinALine(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        try (SeekableByteChannel bytes = Files.newByteChannel(file)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            return bytes.size() > 0
                    && bytes.position(bytes.size() - 1).read(last) == 1
                    && last.get(0) != '\n';
        }
    }

    /** A row; null if it is not there. */
    @Nullable KeptRow find(KeptRow.Key key) {
        return rows.get(key);
    }

    /** {@return the numbers of clients, receives or bytes in a table's rows, the least first} */
    public List<Integer> counts(String table) {
        return rows.keySet().stream()
                .filter(key -> key.table().equals(table))
                .map(KeptRow.Key::count)
                .distinct()
                .sorted()
                .toList();
    }
}

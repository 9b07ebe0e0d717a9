package org.jbmi.simulator.queue;

import org.jbmi.simulator.process.Schedule;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The files of a run whose command channel uses files: folders, empty files, and in some folders a
 * queue. A process that has a queue open keeps it when its folder is removed, as with mapped files.
 */
final class SimDisk {
    private static final Path ROOT = Path.of("/simulated");
    private static final String KEPT = "kept";

    /** A queue of records, in files; the oldest files may be removed. */
    static final class Records {
        private final List<Entry> entries = new ArrayList<>();
        private long first;

        /** Begins a record; a reader sees it when it is complete. */
        Entry begin(int file, int words) {
            Entry entry = new Entry(file, words);
            entries.add(entry);
            return entry;
        }

        /** A record by its number; null if there is none. */
        @Nullable Entry at(long number) {
            long index = number - first;
            return index >= 0 && index < entries.size() ? entries.get((int) index) : null;
        }

        @Nullable Entry last() {
            return entries.isEmpty() ? null : entries.getLast();
        }

        /** Removes a file that no process maps any more. */
        void remove(int file) {
            int count = 0;
            while (count < entries.size() && entries.get(count).file <= file) {
                count++;
            }
            entries.subList(0, count).clear();
            first += count;
        }
    }

    /** A record of a queue. */
    static final class Entry {
        final int file;
        final long[] words;
        boolean isComplete;

        private Entry(int file, int words) {
            this.file = file;
            this.words = new long[words];
        }
    }

    private static final class Node {
        private @Nullable Records records;

        /** Whether it may stay, because the process that would remove it has ended. */
        private boolean isExcused;
    }

    private final NavigableMap<Path, Node> nodes = new TreeMap<>();

    /** Folders of sessions that must stay. */
    private final Set<Path> kept = new TreeSet<>();

    private final Schedule schedule;
    private long fullUntilStep;

    SimDisk(Schedule schedule) {
        this.schedule = schedule;
    }

    void fill(int steps) {
        fullUntilStep = schedule.steps + steps;
    }

    boolean isFull() {
        return schedule.steps < fullUntilStep;
    }

    boolean exists(Path path) {
        return path.equals(ROOT) || nodes.containsKey(path);
    }

    List<Path> list(Path folder) {
        return nodes.keySet().stream().filter(path -> folder.equals(path.getParent())).toList();
    }

    /** Makes a folder or an empty file. */
    void create(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent == null || !exists(parent)) {
            throw new NoSuchFileException(path.toString());
        }
        if (nodes.putIfAbsent(path, new Node()) != null) {
            throw new FileAlreadyExistsException(path.toString());
        }
        if (path.endsWith(KEPT)) {
            kept.add(parent);
        }
    }

    /** Makes a folder and the missing ones above it; returns whether any was missing. */
    boolean createAll(Path folder) {
        boolean isNew = false;
        for (Path path = folder; path != null && !exists(path); path = path.getParent()) {
            nodes.put(path, new Node());
            isNew = true;
        }
        return isNew;
    }

    /** The queue in a folder; makes it if there is none. */
    Records queue(Path folder) {
        createAll(folder);
        Node node = nodes.computeIfAbsent(folder, path -> new Node());
        Records records = node.records;
        if (records == null) {
            records = new Records();
            node.records = records;
        }
        return records;
    }

    /** Everything in a folder and the folder itself; each folder after its contents. */
    List<Path> walk(Path folder) {
        return nodes.descendingMap().keySet().stream()
                .filter(path -> path.startsWith(folder))
                .toList();
    }

    void deleteIfExists(Path path) throws IOException {
        if (!list(path).isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
        nodes.remove(path);
    }

    /** A hostile process removes a session's folder while it is in use. */
    void spoil(Path session) {
        walk(session).forEach(nodes::remove);
        kept.remove(session);
    }

    /** The process that made a folder again has ended and could not remove it. */
    void excuse(Path folder) {
        Path session = folder.getParent();
        if (session != null) {
            nodes.forEach((path, node) -> node.isExcused |= path.startsWith(session));
        }
    }

    /** A file or folder that should have been removed; null if there is none. */
    @Nullable String leftBehind() {
        for (Map.Entry<Path, Node> each : nodes.entrySet()) {
            Path path = each.getKey();
            boolean isSession = ROOT.equals(path.getParent());
            if (isSession && !exists(path.resolve(KEPT)) && !each.getValue().isExcused) {
                return "the files in " + path;
            }
        }
        return null;
    }

    /** A file that should exist and does not; null if there is none. */
    @Nullable String missing() {
        for (Path session : kept) {
            if (!exists(session.resolve(KEPT))) {
                return "the files in " + session;
            }
        }
        for (Map.Entry<Path, Node> each : nodes.entrySet()) {
            Records records = each.getValue().records;
            Path session = each.getKey().getParent();
            boolean isKept = session != null && exists(session.resolve(KEPT));
            if (isKept && records != null && records.first > 0) {
                return "files in " + each.getKey();
            }
        }
        return null;
    }
}

package org.jbmi.simulator;

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
 * The files of a run whose command channel lies in files: folders, empty files, and in some folders
 * a queue. A process that has a queue open keeps it when its folder is removed, as with mapped
 * files.
 */
final class SimDisk {
    private static final Path ROOT = Path.of("/simulated");
    private static final String KEPT = "kept";

    /** A queue: records one behind the other, in files of which the oldest may be gone. */
    static final class Records {
        private final List<Entry> entries = new ArrayList<>();
        private long first;

        /** A record; it is not there for a reader until it is complete. */
        Entry begin(int file, int words) {
            Entry entry = new Entry(file, words);
            entries.add(entry);
            return entry;
        }

        /** A record by its number; null if it is not there. */
        @Nullable Entry at(long number) {
            long index = number - first;
            return index >= 0 && index < entries.size() ? entries.get((int) index) : null;
        }

        @Nullable Entry last() {
            return entries.isEmpty() ? null : entries.getLast();
        }

        /** A file goes; nobody has it mapped any more. */
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

        /** Whether nobody made it who would remove it again: its process has ended. */
        private boolean isExcused;
    }

    private final NavigableMap<Path, Node> nodes = new TreeMap<>();

    /** Folders of sessions that are to stay, whatever comes. */
    private final Set<Path> kept = new TreeSet<>();

    private final World world;
    private long fullUntilStep;

    SimDisk(World world) {
        this.world = world;
    }

    void fill(int steps) {
        fullUntilStep = world.steps + steps;
    }

    boolean isFull() {
        return world.steps < fullUntilStep;
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

    /** Makes a folder with those above it, where they are not; returns whether they were not. */
    boolean createAll(Path folder) {
        boolean isNew = false;
        for (Path path = folder; path != null && !exists(path); path = path.getParent()) {
            nodes.put(path, new Node());
            isNew = true;
        }
        return isNew;
    }

    /** The queue in a folder, which is made if it is not there. */
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

    /** All that is in a folder, and the folder itself; the folders last. */
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

    /** Somebody who means no good removes a session's folder under its users. */
    void spoil(Path session) {
        walk(session).forEach(nodes::remove);
        kept.remove(session);
    }

    /** Whoever made a folder again has ended without a chance to remove it. */
    void excuse(Path folder) {
        Path session = folder.getParent();
        if (session != null) {
            nodes.forEach((path, node) -> node.isExcused |= path.startsWith(session));
        }
    }

    /** What lies about that somebody should have removed, or is gone although it should stay. */
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

    /** Files that should all be there, and are not; null if there are none. */
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

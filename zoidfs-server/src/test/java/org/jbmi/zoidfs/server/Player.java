package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Chooses the steps of one client, and knows what must be in its directory. What was answered
 * happened; what was not happened or did not, and of a write perhaps a part.
 */
final class Player {
    private static final int NAMES = 6;
    private static final int MAX_BYTES = 60_000;

    /** A file to which all players append. */
    static final class Log {
        /** An append that was answered. */
        private record Entry(long offset, byte[] bytes) {}

        private final List<Entry> entries = new ArrayList<>();

        private synchronized void add(Entry entry) {
            entries.add(entry);
        }

        /** Each append has a place of its own, with its bytes in it. */
        synchronized void assertIsIn(Path file) throws IOException {
            byte[] content = Files.readAllBytes(file);
            entries.sort(Comparator.comparingLong(Entry::offset));
            long end = 0;
            for (Entry entry : entries) {
                assertThat(entry.offset)
                        .as("an append behind %d bytes", end)
                        .isGreaterThanOrEqualTo(end);
                end = entry.offset + entry.bytes.length;
                assertThat(end).isLessThanOrEqualTo(content.length);
                assertThat(Arrays.copyOfRange(content, (int) entry.offset, (int) end))
                        .as("the append at %d", entry.offset)
                        .isEqualTo(entry.bytes);
            }
            assertThat(entries).isNotEmpty();
        }
    }

    private final Path directory;
    private final String log;
    private final Log appended;
    private final Random random;
    private Map<String, byte[]> model = new TreeMap<>();

    /** The step that was chosen, and what the directory has after it. */
    private @Nullable Step step;

    private Map<String, byte[]> after = model;

    /**
     * A player.
     *
     * @param directory where its files are
     * @param log the path of the file that all append to
     * @param appended what is in it
     */
    Player(Path directory, String log, Log appended, Random random) {
        this.directory = directory;
        this.log = log;
        this.appended = appended;
        this.random = random;
    }

    /** Chooses a step; {@link #settle} follows. */
    Step choose() {
        String name = "n" + random.nextInt(NAMES);
        String other = "n" + random.nextInt(NAMES);
        byte[] old = model.get(name);
        after = new TreeMap<>(model);
        Step.Kind kind = old == null ? Step.Kind.CREATE : kind(random.nextInt(8));
        int size = 1 + random.nextInt(MAX_BYTES / 2);
        int offset = random.nextInt(MAX_BYTES / 2);
        if (kind == Step.Kind.READ) {
            size = MAX_BYTES + 10;
            offset = 0;
        }
        Step chosen =
                new Step(
                        kind,
                        kind == Step.Kind.APPEND ? log : path(name),
                        path(other),
                        random.nextLong(),
                        size,
                        offset);
        switch (kind) {
            case CREATE -> after.put(name, new byte[0]);
            case RESIZE -> after.put(name, Arrays.copyOf(old, size));
            case REMOVE -> after.remove(name);
            case RENAME -> {
                after.remove(name);
                after.put(other, old);
            }
            case WRITE, WRITE_BEHIND -> after.put(name, written(old, chosen));
            case READ, APPEND -> {}
        }
        step = chosen;
        return chosen;
    }

    private static Step.Kind kind(int number) {
        return switch (number) {
            case 0 -> Step.Kind.RESIZE;
            case 1 -> Step.Kind.REMOVE;
            case 2 -> Step.Kind.RENAME;
            case 3 -> Step.Kind.READ;
            case 4 -> Step.Kind.APPEND;
            case 5 -> Step.Kind.WRITE_BEHIND;
            default -> Step.Kind.WRITE;
        };
    }

    private static byte[] written(byte[] old, Step step) {
        byte[] content = Arrays.copyOf(old, Math.max(old.length, step.offset() + step.size()));
        System.arraycopy(step.bytes(), 0, content, step.offset(), step.size());
        return content;
    }

    private String path(String name) {
        return "/" + directory.getFileName() + "/" + name;
    }

    /**
     * Takes in what came of the step that was chosen last. One without an answer is over: nothing
     * of it happens any more.
     */
    void settle(Step.Taken taken) throws IOException {
        Step chosen = step;
        assertThat(chosen).isNotNull();
        if (!taken.answered()) {
            decide(chosen);
            return;
        }
        model = after;
        if (chosen.kind() == Step.Kind.APPEND) {
            appended.add(new Log.Entry(taken.value(), chosen.bytes()));
        } else if (chosen.kind() == Step.Kind.READ) {
            byte[] content = model.get(name(chosen));
            assertThat(taken.value()).as("what was read").isEqualTo(Arrays.hashCode(content));
        }
    }

    private static String name(Step chosen) {
        return chosen.path().substring(chosen.path().lastIndexOf('/') + 1);
    }

    private void decide(Step chosen) throws IOException {
        Map<String, byte[]> found = found();
        if (chosen.kind() == Step.Kind.WRITE || chosen.kind() == Step.Kind.WRITE_BEHIND) {
            String name = name(chosen);
            byte[] now = found.get(name);
            assertIsBetween(now, model.get(name), after.get(name));
            model.put(name, now);
        } else if (isSame(found, after)) {
            model = after;
        }
        assertSame(found);
    }

    /** Each byte is the old one or the new one; where none was there may be a hole. */
    private static void assertIsBetween(byte @Nullable [] now, byte[] old, byte[] after) {
        assertThat(now).isNotNull();
        assertThat(now.length).isBetween(old.length, after.length);
        for (int i = 0; i < now.length; i++) {
            byte before = i < old.length ? old[i] : 0;
            if (now[i] != before && now[i] != after[i]) {
                throw new AssertionError("The byte at " + i + " is neither old nor new");
            }
        }
    }

    private static boolean isSame(Map<String, byte[]> one, Map<String, byte[]> other) {
        return one.keySet().equals(other.keySet())
                && one.entrySet().stream()
                        .allMatch(e -> Arrays.equals(e.getValue(), other.get(e.getKey())));
    }

    private Map<String, byte[]> found() throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (var each = Files.list(directory)) {
            for (Path file : each.toList()) {
                files.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
        return files;
    }

    /** The directory has what it must have. */
    void assertIsFound() throws IOException {
        assertSame(found());
    }

    private void assertSame(Map<String, byte[]> found) {
        assertThat(found.keySet()).isEqualTo(model.keySet());
        model.forEach((name, bytes) -> assertThat(found.get(name)).as(name).isEqualTo(bytes));
    }
}

package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.server.ModelTree.Node;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Chooses the steps of one client, and knows what must be in its directory. What was answered
 * happened; what was not happened or did not, and of a write perhaps a part.
 */
final class Player {
    private static final int MAX_BYTES = 60_000;

    /** What needs no right of a group or of others, so that no mask of a process changes it. */
    private static final int FILE_MODE = 0600;

    private static final int FOLDER_MODE = 0700;

    /** Names that begin with n are files and links, others are folders. */
    private static final List<String> NAMES =
            Stream.concat(
                            Stream.of("n0", "n1", "n2", "n3"),
                            Stream.of("d0", "d1", "d2")
                                    .flatMap(
                                            d ->
                                                    Stream.of(
                                                            d,
                                                            d + "/n0",
                                                            d + "/n1",
                                                            d + "/e",
                                                            d + "/e/n0")))
                    .toList();

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
    private ModelTree model = ModelTree.empty();
    private long lastFile;

    /** The step that was chosen, and what the directory has after it. */
    private @Nullable Step step;

    private ModelTree after = model;

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

    /** Chooses a step that can be taken; {@link #settle} follows. */
    Step choose() {
        Step chosen = null;
        while (chosen == null) {
            after = model;
            String name = NAMES.get(random.nextInt(NAMES.size()));
            if (isThere(parent(name))) {
                Node node = model.get(name);
                chosen =
                        node == null
                                ? making(name)
                                : switch (node.kind()) {
                                    case FOLDER -> withFolder(name);
                                    case LINK -> withLink(name);
                                    case FILE -> withFile(name, node);
                                };
            }
        }
        step = chosen;
        return chosen;
    }

    private static String parent(String name) {
        int slash = name.lastIndexOf('/');
        return slash < 0 ? "" : name.substring(0, slash);
    }

    private static boolean isForFolder(String name) {
        return name.charAt(name.lastIndexOf('/') + 1) != 'n';
    }

    private static long depth(String name) {
        return name.chars().filter(c -> c == '/').count();
    }

    private boolean isThere(String folder) {
        return folder.isEmpty() || model.get(folder) != null;
    }

    private Step step(Step.Kind kind, String name, String other, int size, int offset) {
        return new Step(kind, path(name), path(other), random.nextLong(), size, offset);
    }

    private Step step(Step.Kind kind, String name, int size) {
        return step(kind, name, name, size, 0);
    }

    private @Nullable Step making(String name) {
        if (isForFolder(name)) {
            after = model.with(name, Node.folder(FOLDER_MODE));
            return step(Step.Kind.MAKE_FOLDER, name, FOLDER_MODE);
        }
        switch (random.nextInt(5)) {
            case 0 -> {
                Step made = step(Step.Kind.MAKE_SYMBOLIC_LINK, name, random.nextInt(100));
                after = model.with(name, Node.link(made.text()));
                return made;
            }
            case 1 -> {
                String existing = NAMES.get(random.nextInt(NAMES.size()));
                Node file = model.get(existing);
                if (file == null || file.kind() != ModelTree.Kind.FILE) {
                    return null;
                }
                after = model.with(name, file);
                return step(Step.Kind.LINK, existing, name, 0, 0);
            }
            default -> {
                after = model.with(name, Node.file(FILE_MODE, new byte[0], ++lastFile));
                return step(Step.Kind.CREATE, name, FILE_MODE);
            }
        }
    }

    private @Nullable Step withFolder(String name) {
        return switch (random.nextInt(4)) {
            case 0 -> removing(name);
            case 1 -> renaming(name);
            case 2 -> settingMode(name, 0700 | random.nextInt(0100));
            default -> step(Step.Kind.LIST, name, 0);
        };
    }

    private @Nullable Step withLink(String name) {
        return switch (random.nextInt(3)) {
            case 0 -> removing(name);
            case 1 -> renaming(name);
            default -> step(Step.Kind.READ_LINK, name, 0);
        };
    }

    private @Nullable Step removing(String name) {
        if (!model.in(name).isEmpty()) {
            return null;
        }
        after = model.without(name);
        return step(Step.Kind.REMOVE, name, 0);
    }

    /** To a name for the same kind of thing; a folder stays as deep as it is. */
    private @Nullable Step renaming(String name) {
        String other = NAMES.get(random.nextInt(NAMES.size()));
        boolean isFolder = isForFolder(name);
        if (other.equals(name)
                || isForFolder(other) != isFolder
                || (isFolder && depth(other) != depth(name))
                || !isThere(parent(other))
                || !model.in(other).isEmpty()) {
            return null;
        }
        after = model.renamed(name, other);
        return step(Step.Kind.RENAME, name, other, 0, 0);
    }

    private Step settingMode(String name, int mode) {
        after = model.changed(name, node -> node.withMode(mode));
        return step(Step.Kind.SET_MODE, name, mode);
    }

    private @Nullable Step withFile(String name, Node file) {
        int size = 1 + random.nextInt(MAX_BYTES / 2);
        int offset = random.nextInt(MAX_BYTES / 2);
        byte[] old = file.bytes();
        return switch (random.nextInt(12)) {
            case 0 -> {
                after = model.changed(name, node -> node.withBytes(Arrays.copyOf(old, size)));
                yield step(Step.Kind.RESIZE, name, size);
            }
            case 1 -> removing(name);
            case 2 -> renaming(name);
            case 3 -> settingMode(name, 0600 | random.nextInt(0100));
            case 4 -> step(Step.Kind.GET_ATTRIBUTES, name, 0);
            case 5 -> step(Step.Kind.READ, name, 2 * MAX_BYTES);
            case 6 -> new Step(Step.Kind.APPEND, log, log, random.nextLong(), size, 0);
            case 7 -> writing(Step.Kind.WRITE_BEHIND, name, old, size, offset);
            case 8, 9 -> writing(Step.Kind.WRITE_REGIONS, name, old, size, offset);
            default -> writing(Step.Kind.WRITE, name, old, size, offset);
        };
    }

    private Step writing(Step.Kind kind, String name, byte[] old, int size, int offset) {
        Step chosen = step(kind, name, name, size, offset);
        int gap = kind == Step.Kind.WRITE_REGIONS ? Step.GAP_BYTES : 0;
        int first = chosen.firstBytes();
        byte[] content = Arrays.copyOf(old, Math.max(old.length, offset + size + gap));
        byte[] bytes = chosen.bytes();
        System.arraycopy(bytes, 0, content, offset, first);
        System.arraycopy(bytes, first, content, offset + first + gap, size - first);
        after = model.changed(name, node -> node.withBytes(content));
        return chosen;
    }

    private String path(String name) {
        return prefix() + name;
    }

    private String prefix() {
        return "/" + directory.getFileName() + "/";
    }

    private String name(Step chosen) {
        return chosen.path().substring(prefix().length());
    }

    /**
     * Takes in what came of the step that was chosen last. One without an answer is over: nothing
     * of it happens any more.
     */
    void settle(Step.Taken taken) throws IOException {
        Step chosen = Objects.requireNonNull(step);
        if (!taken.answered()) {
            decide(chosen);
            return;
        }
        model = after;
        if (chosen.kind() == Step.Kind.APPEND) {
            appended.add(new Log.Entry(taken.value(), chosen.bytes()));
            return;
        }
        String name = name(chosen);
        Node node = model.get(name);
        if (node != null) {
            assertThat(taken.value()).as(chosen.line()).isEqualTo(expected(chosen, name, node));
        }
    }

    private long expected(Step chosen, String name, Node node) {
        return switch (chosen.kind()) {
            case READ -> Arrays.hashCode(node.bytes());
            case READ_LINK -> node.text().hashCode();
            case LIST -> model.in(name).hashCode();
            case GET_ATTRIBUTES ->
                    Objects.hash((long) node.bytes().length, node.mode(), model.namesOf(node));
            default -> 0;
        };
    }

    private void decide(Step chosen) throws IOException {
        ModelTree found = ModelTree.of(directory);
        switch (chosen.kind()) {
            case WRITE, WRITE_BEHIND, WRITE_REGIONS -> {
                String name = name(chosen);
                Node now = Objects.requireNonNull(found.get(name), "the file is gone");
                assertIsBetween(
                        now.bytes(),
                        Objects.requireNonNull(model.get(name)).bytes(),
                        Objects.requireNonNull(after.get(name)).bytes());
                model = model.changed(name, node -> node.withBytes(now.bytes()));
            }
            default -> {
                if (found.differenceTo(after).isEmpty()) {
                    model = after;
                }
            }
        }
        assertThat(found.differenceTo(model)).as("after " + chosen.line()).isEmpty();
    }

    /** Each byte is the old one or the new one; where none was there may be a hole. */
    private static void assertIsBetween(byte[] now, byte[] old, byte[] written) {
        assertThat(now.length).isBetween(old.length, written.length);
        for (int i = 0; i < now.length; i++) {
            byte there = i < old.length ? old[i] : 0;
            if (now[i] != there && now[i] != written[i]) {
                throw new AssertionError("The byte at " + i + " is neither old nor new");
            }
        }
    }

    /** The directory has what it must have. */
    void assertIsFound() throws IOException {
        assertThat(ModelTree.of(directory).differenceTo(model)).isEmpty();
    }
}

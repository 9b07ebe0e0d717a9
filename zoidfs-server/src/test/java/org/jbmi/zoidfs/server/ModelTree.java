package org.jbmi.zoidfs.server;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** A tree of files, with folders, modes and links of both kinds: a model, or what a disk has. */
final class ModelTree {
    /** What a name can stand for. */
    enum Kind {
        FOLDER,
        FILE,
        LINK
    }

    /**
     * What has a name. A file with several names has a node for each of them.
     *
     * @param kind what it is
     * @param mode permission bits, 0 for a link
     * @param text of a link
     * @param bytes of a file
     * @param file the same number for all names of one file
     */
    record Node(Kind kind, int mode, String text, byte[] bytes, long file) {
        private static final byte[] NOTHING = {};

        static Node folder(int mode) {
            return new Node(Kind.FOLDER, mode, "", NOTHING, 0);
        }

        static Node link(String text) {
            return new Node(Kind.LINK, 0, text, NOTHING, 0);
        }

        static Node file(int mode, byte[] bytes, long number) {
            return new Node(Kind.FILE, mode, "", bytes, number);
        }

        Node withMode(int newMode) {
            return new Node(kind, newMode, text, bytes, file);
        }

        Node withBytes(byte[] newBytes) {
            return new Node(kind, mode, text, newBytes, file);
        }
    }

    private final TreeMap<String, Node> nodes;

    private ModelTree(TreeMap<String, Node> nodes) {
        this.nodes = nodes;
    }

    /** An empty one. */
    static ModelTree empty() {
        return new ModelTree(new TreeMap<>());
    }

    /** What is in a folder of the disk; links are not followed. */
    static ModelTree of(Path folder) throws IOException {
        TreeMap<String, Node> found = new TreeMap<>();
        try (var each = Files.walk(folder)) {
            for (Path path : each.filter(p -> !p.equals(folder)).toList()) {
                Map<String, Object> facts =
                        Files.readAttributes(path, "unix:mode,ino", LinkOption.NOFOLLOW_LINKS);
                int mode = (Integer) facts.get("mode") & 07777;
                Node node;
                if (Files.isSymbolicLink(path)) {
                    node = Node.link(Files.readSymbolicLink(path).toString());
                } else if (Files.isDirectory(path)) {
                    node = Node.folder(mode);
                } else {
                    node = Node.file(mode, Files.readAllBytes(path), (Long) facts.get("ino"));
                }
                found.put(folder.relativize(path).toString(), node);
            }
        }
        return new ModelTree(found);
    }

    @Nullable Node get(String name) {
        return nodes.get(name);
    }

    /** The names in a folder, in order. */
    List<String> in(String folder) {
        String prefix = folder + "/";
        return nodes.keySet().stream()
                .filter(name -> name.startsWith(prefix))
                .map(name -> name.substring(prefix.length()))
                .filter(name -> name.indexOf('/') < 0)
                .toList();
    }

    /** How many names a file has. */
    long namesOf(Node node) {
        return nodes.values().stream().filter(other -> isTwin(node, other)).count();
    }

    private static boolean isTwin(Node one, Node other) {
        return one.kind == Kind.FILE && other.kind == Kind.FILE && one.file == other.file;
    }

    private ModelTree copy() {
        return new ModelTree(new TreeMap<>(nodes));
    }

    ModelTree with(String name, Node node) {
        ModelTree changed = copy();
        changed.nodes.put(name, node);
        return changed;
    }

    ModelTree without(String name) {
        ModelTree changed = copy();
        changed.nodes.remove(name);
        return changed;
    }

    /** Changes what has a name, under all its names. */
    ModelTree changed(String name, UnaryOperator<Node> change) {
        Node old = nodes.get(name);
        ModelTree changed = copy();
        changed.nodes.replaceAll(
                (each, node) ->
                        each.equals(name) || (old != null && isTwin(old, node))
                                ? change.apply(node)
                                : node);
        return changed;
    }

    /** Renames with all that is below; names of one file stay both, as POSIX has it. */
    ModelTree renamed(String from, String to) {
        Node moved = nodes.get(from);
        Node there = nodes.get(to);
        if (moved == null || (there != null && isTwin(moved, there))) {
            return this;
        }
        ModelTree changed = copy();
        changed.nodes.remove(to);
        for (Map.Entry<String, Node> each : nodes.entrySet()) {
            String name = each.getKey();
            if (name.equals(from) || name.startsWith(from + "/")) {
                changed.nodes.remove(name);
                changed.nodes.put(to + name.substring(from.length()), each.getValue());
            }
        }
        return changed;
    }

    /** What is not the same in both, in words; empty if they are equal. */
    String differenceTo(ModelTree other) {
        if (!nodes.keySet().equals(other.nodes.keySet())) {
            return "the names " + nodes.keySet() + ", and not " + other.nodes.keySet();
        }
        Map<Long, Long> files = new HashMap<>();
        Map<Long, Long> back = new HashMap<>();
        for (Map.Entry<String, Node> each : nodes.entrySet()) {
            Node one = each.getValue();
            Node two = other.nodes.get(each.getKey());
            String where = each.getKey() + ": ";
            if (one.kind != two.kind || one.mode != two.mode || !one.text.equals(two.text)) {
                return where + words(one) + ", and not " + words(two);
            }
            if (!Arrays.equals(one.bytes, two.bytes)) {
                return where
                        + one.bytes.length
                        + " bytes, and not "
                        + two.bytes.length
                        + ", other ones from "
                        + Arrays.mismatch(one.bytes, two.bytes);
            }
            if (one.kind == Kind.FILE
                    && (files.computeIfAbsent(one.file, n -> two.file) != two.file
                            || back.computeIfAbsent(two.file, n -> one.file) != one.file)) {
                return where + "a name of another file";
            }
        }
        return "";
    }

    private static String words(Node node) {
        return node.kind + " " + Integer.toOctalString(node.mode) + " " + node.text;
    }
}

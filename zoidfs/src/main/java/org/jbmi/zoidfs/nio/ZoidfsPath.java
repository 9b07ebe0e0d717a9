package org.jbmi.zoidfs.nio;

import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A path of one server: names between slashes, beginning at the root or anywhere. Immutable. */
final class ZoidfsPath implements Path {
    private static final String SEPARATOR = "/";

    private final ZoidfsFileSystem fileSystem;
    private final boolean absolute;

    /** Without empty names, except that the empty path has one empty name. */
    private final List<String> names;

    private ZoidfsPath(ZoidfsFileSystem fileSystem, boolean absolute, List<String> names) {
        this.fileSystem = fileSystem;
        this.absolute = absolute;
        this.names = names.isEmpty() && !absolute ? List.of("") : names;
    }

    static ZoidfsPath of(ZoidfsFileSystem fileSystem, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new InvalidPathException(text, "A path has no NUL");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new InvalidPathException(text, "Half of a surrogate pair is no character");
        }
        List<String> names = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            int slash = text.indexOf('/', from);
            int end = slash < 0 ? text.length() : slash;
            if (end > from) {
                names.add(text.substring(from, end));
            }
            from = end + 1;
        }
        return new ZoidfsPath(fileSystem, text.startsWith(SEPARATOR), List.copyOf(names));
    }

    /** A path of this provider; throws for others. */
    static ZoidfsPath cast(Path path) {
        if (Objects.requireNonNull(path) instanceof ZoidfsPath own) {
            return own;
        }
        throw new ProviderMismatchException(path + " is not a path of a zoidfs server");
    }

    private ZoidfsPath with(boolean newAbsolute, List<String> newNames) {
        return new ZoidfsPath(fileSystem, newAbsolute, newNames);
    }

    private ZoidfsPath own(Path other) {
        ZoidfsPath path = cast(other);
        if (path.fileSystem != fileSystem) {
            throw new ProviderMismatchException(other + " is a path of another server");
        }
        return path;
    }

    private boolean isEmpty() {
        return !absolute && names.size() == 1 && names.get(0).isEmpty();
    }

    private List<String> realNames() {
        return isEmpty() ? List.of() : names;
    }

    /** The path for the server: from the root, in the bytes of UTF-8. */
    FileSpec spec() {
        return FileSpec.path(ZoidfsClient.wireText(toAbsolutePath().toString()));
    }

    @Override
    public ZoidfsFileSystem getFileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return absolute;
    }

    @Override
    public @Nullable ZoidfsPath getRoot() {
        return absolute ? with(true, List.of()) : null;
    }

    @Override
    public @Nullable ZoidfsPath getFileName() {
        return names.isEmpty() ? null : with(false, List.of(names.get(names.size() - 1)));
    }

    @Override
    public @Nullable ZoidfsPath getParent() {
        if (names.size() > 1) {
            return with(absolute, names.subList(0, names.size() - 1));
        }
        return names.isEmpty() ? null : getRoot();
    }

    @Override
    public int getNameCount() {
        return names.size();
    }

    @Override
    public ZoidfsPath getName(int index) {
        return subpath(index, index + 1);
    }

    @Override
    public ZoidfsPath subpath(int beginIndex, int endIndex) {
        if (beginIndex < 0 || endIndex > names.size() || beginIndex >= endIndex) {
            throw new IllegalArgumentException(
                    "There are no names " + beginIndex + " to " + endIndex + " in " + this);
        }
        return with(false, names.subList(beginIndex, endIndex));
    }

    @Override
    public boolean startsWith(Path other) {
        return other instanceof ZoidfsPath path
                && path.fileSystem == fileSystem
                && path.absolute == absolute
                && path.isEmpty() == isEmpty()
                && path.names.size() <= names.size()
                && names.subList(0, path.names.size()).equals(path.names);
    }

    @Override
    public boolean endsWith(Path other) {
        if (!(other instanceof ZoidfsPath path)
                || path.fileSystem != fileSystem
                || path.isEmpty() != isEmpty()) {
            return false;
        }
        int begin = names.size() - path.names.size();
        return begin >= 0
                && (!path.absolute || (absolute && begin == 0))
                && names.subList(begin, names.size()).equals(path.names);
    }

    @Override
    public ZoidfsPath normalize() {
        List<String> left = new ArrayList<>();
        for (String name : realNames()) {
            if (name.equals(".")) {
                continue;
            }
            boolean up = name.equals("..");
            if (up && !left.isEmpty() && !left.get(left.size() - 1).equals("..")) {
                left.remove(left.size() - 1);
            } else if (!up || !absolute) {
                left.add(name);
            }
        }
        return with(absolute, List.copyOf(left));
    }

    @Override
    public ZoidfsPath resolve(Path other) {
        ZoidfsPath path = own(other);
        if (path.absolute || isEmpty()) {
            return path;
        }
        if (path.isEmpty()) {
            return this;
        }
        List<String> all = new ArrayList<>(names);
        all.addAll(path.names);
        return with(absolute, List.copyOf(all));
    }

    @Override
    public ZoidfsPath resolve(String other) {
        return resolve(of(fileSystem, other));
    }

    @Override
    public ZoidfsPath relativize(Path other) {
        ZoidfsPath path = own(other);
        if (path.absolute != absolute) {
            throw new IllegalArgumentException("One of " + this + " and " + other + " is absolute");
        }
        List<String> from = realNames();
        List<String> to = path.realNames();
        int same = 0;
        while (same < from.size() && same < to.size() && from.get(same).equals(to.get(same))) {
            same++;
        }
        if (from.subList(same, from.size()).contains("..")) {
            throw new IllegalArgumentException("The way out of " + this + " is unknown: it has ..");
        }
        List<String> way = new ArrayList<>();
        for (int i = same; i < from.size(); i++) {
            if (!from.get(i).equals(".")) {
                way.add("..");
            }
        }
        way.addAll(to.subList(same, to.size()));
        return with(false, List.copyOf(way));
    }

    @Override
    public URI toUri() {
        return new ServerAddress(fileSystem.address(), toAbsolutePath().toString()).toUri();
    }

    @Override
    public ZoidfsPath toAbsolutePath() {
        return absolute ? this : with(true, realNames());
    }

    @Override
    public ZoidfsPath toRealPath(LinkOption... options) throws IOException {
        return fileSystem.operations().realPath(this, FileView.followsLinks(options));
    }

    @Override
    public WatchKey register(
            WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException("A zoidfs server does not report changes");
    }

    @Override
    public int compareTo(Path other) {
        return toString().compareTo(cast(other).toString());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ZoidfsPath path
                && path.fileSystem == fileSystem
                && path.absolute == absolute
                && path.names.equals(names);
    }

    @Override
    public int hashCode() {
        return 31 * names.hashCode() + Boolean.hashCode(absolute);
    }

    @Override
    public String toString() {
        return (absolute ? SEPARATOR : "") + String.join(SEPARATOR, names);
    }
}

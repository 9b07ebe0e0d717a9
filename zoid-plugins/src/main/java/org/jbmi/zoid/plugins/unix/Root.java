package org.jbmi.zoid.plugins.unix;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/**
 * The folder at which the paths of clients begin. A path that leads out of it, by dots or by a
 * link, is refused. This is for order and not for enemies: between the look and the use another
 * process of the server's user may put a link there.
 */
final class Root {
    private final Path folder;
    private final boolean isWhole;

    Root(Path folder) {
        this.folder = folder.toAbsolutePath().normalize();
        this.isWhole = this.folder.getNameCount() == 0;
    }

    /** The file itself, or what a link names. */
    Path resolve(String path) throws IOException {
        Path file = again(name(path));
        if (meansFolder(path) && Files.exists(file) && !Files.isDirectory(file)) {
            throw new NotDirectoryException(path);
        }
        return file;
    }

    /** The file, or the link itself unless a slash follows. */
    Path resolveLink(String path) throws IOException {
        return meansFolder(path) ? resolve(path).toRealPath() : name(path);
    }

    /** Java's paths lose the slash at their end. */
    static boolean meansFolder(String path) {
        return path.endsWith("/");
    }

    /**
     * Whether the folder above is there. If not, the system has the right error for the path, also
     * without the slash.
     */
    static boolean isInFolder(Path file) {
        Path parent = file.getParent();
        return parent != null && Files.isDirectory(parent);
    }

    /**
     * The file, or the link itself even if a slash follows. Dots stay: only the system knows where
     * they lead.
     */
    Path name(String path) throws IOException {
        if (path.isEmpty()) {
            throw new NoSuchFileException(path);
        }
        String relative = path.replaceFirst("^/+", "");
        Path file = folder.resolve(relative);
        if (isWhole) {
            return file;
        }
        if (!file.normalize().startsWith(folder)) {
            throw new AccessDeniedException(path);
        }
        Path parent = file.equals(folder) || file.endsWith("..") ? file : file.getParent();
        while (parent != null && !Files.exists(parent, LinkOption.NOFOLLOW_LINKS)) {
            parent = parent.getParent();
        }
        if (parent != null) {
            check(parent, file);
        }
        return file;
    }

    /** Whether a file is the folder at which paths begin, whose name lies above it. */
    boolean isTop(Path file) {
        return file.equals(folder);
    }

    /** A path that was resolved before, if it does not lead out by now. */
    Path again(Path resolved) throws IOException {
        if (!isWhole && Files.exists(resolved, LinkOption.NOFOLLOW_LINKS)) {
            check(resolved, resolved);
        }
        return resolved;
    }

    private void check(Path existing, Path asked) throws IOException {
        if (!existing.toRealPath().startsWith(folder.toRealPath())) {
            throw new AccessDeniedException(asked.toString());
        }
    }
}

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
        Path file = located(path);
        if (!isWhole && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            check(file, file);
        }
        if (meansFolder(path) && Files.exists(file) && !Files.isDirectory(file)) {
            throw new NotDirectoryException(path);
        }
        return file;
    }

    /** The file, or the link itself unless a slash follows. */
    Path resolveLink(String path) throws IOException {
        return meansFolder(path) ? resolve(path) : located(path);
    }

    /** Java's paths lose the slash at their end. */
    static boolean meansFolder(String path) {
        return path.endsWith("/");
    }

    private Path located(String path) throws IOException {
        if (path.isEmpty()) {
            throw new NoSuchFileException(path);
        }
        String relative = path.replaceFirst("^/+", "");
        if (isWhole) {
            return folder.resolve(relative);
        }
        Path file = folder.resolve(relative).normalize();
        if (!file.startsWith(folder)) {
            throw new AccessDeniedException(path);
        }
        Path parent = file.equals(folder) ? file : file.getParent();
        while (parent != null && !Files.exists(parent, LinkOption.NOFOLLOW_LINKS)) {
            parent = parent.getParent();
        }
        if (parent != null) {
            check(parent, file);
        }
        return file;
    }

    /** A path that was resolved before, if it does not lead out by now. */
    Path again(Path resolved) throws IOException {
        return isWhole ? resolved : resolve("/" + folder.relativize(resolved));
    }

    private void check(Path existing, Path asked) throws IOException {
        if (!existing.toRealPath().startsWith(folder.toRealPath())) {
            throw new AccessDeniedException(asked.toString());
        }
    }
}

package org.jbmi.zbmi.host;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

/**
 * A file that this process has made, and that another may have replaced by one of its own since: a
 * server that was stopped for so long that its daemon was followed by another, with another server,
 * must not remove what is theirs.
 *
 * @param path its name
 * @param key what the system knows it by
 */
public record OwnFile(Path path, @Nullable Object key) {

    /**
     * The one that has the name now.
     *
     * @param path its name
     * @return known from now on
     * @throws IOException if there is none
     */
    public static OwnFile of(Path path) throws IOException {
        return new OwnFile(path, keyOf(path));
    }

    private static @Nullable Object keyOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /** Removes it, if it is still there and still the same. */
    public void remove() {
        try {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && Objects.equals(keyOf(path), key)) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            System.getLogger(OwnFile.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot remove " + path, e);
        }
    }
}

package org.jbmi.zbmi.host.place;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

/**
 * A file that this process has made and another process may have replaced since. A server that was
 * stopped for a long time, and whose daemon and session have been replaced meanwhile, must not
 * remove the new files.
 *
 * @param path its name
 * @param key the system's identity of the file
 */
public record OwnFile(Path path, @Nullable Object key) {

    /**
     * The one that has the name now.
     *
     * @throws IOException if there is none
     */
    public static OwnFile of(Path path) throws IOException {
        return new OwnFile(path, keyOf(path));
    }

    private static @Nullable Object keyOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /**
     * Whether it still has its name.
     *
     * @return false if it has been removed, also if another file has the name now
     * @throws IOException if that cannot be told
     */
    public boolean hasName() throws IOException {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS) && Objects.equals(keyOf(path), key);
    }

    /** Removes it, if it is still there and still the same. */
    public void remove() {
        try {
            if (hasName()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            System.getLogger(OwnFile.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot remove " + path, e);
        }
    }
}

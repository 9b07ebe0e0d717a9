package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.queue.impl.StoreFileListener;

import org.jbmi.mempool.os.NativeAccess;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Restricts files to their owner. The library makes files that every user may read. So they lie in
 * folders that only the owner may enter, and lose those rights as soon as they exist.
 */
final class OwnerOnly implements StoreFileListener {
    /** For a new folder. */
    static final FileAttribute<Set<PosixFilePermission>> FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final Set<PosixFilePermission> FILE =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    @Override
    public void onAcquired(int cycle, File file) {
        restrict(file.toPath());
    }

    @Override
    public void onReleased(int cycle, File file) {
        // It has its rights.
    }

    /** Everything that is in a folder. */
    static void restrictFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> all = files.filter(Files::isRegularFile).toList();
            all.forEach(OwnerOnly::restrict);
        }
    }

    private static void restrict(Path file) {
        try {
            Files.setPosixFilePermissions(file, FILE);
        } catch (NoSuchFileException e) {
            // The library may report files on a thread of its own, and this one is already removed.
        } catch (IOException e) {
            System.getLogger(OwnerOnly.class.getName())
                    .log(System.Logger.Level.WARNING, "cannot restrict " + file, e);
        }
    }

    /**
     * Whether it is a folder of this user's: in one of another user's, that one can do as it likes.
     */
    static boolean isOwnFolder(Path path) throws IOException {
        Map<String, Object> attributes;
        try {
            attributes =
                    Files.readAttributes(path, "unix:isDirectory,uid", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return false;
        }
        return Boolean.TRUE.equals(attributes.get("isDirectory"))
                && attributes.get("uid") instanceof Integer uid
                && uid == NativeAccess.effectiveUserId();
    }

    /** Whether only the owner may enter a folder. */
    static boolean isPrivate(Path folder) throws IOException {
        return Files.getPosixFilePermissions(folder).stream()
                .allMatch(permission -> permission.name().startsWith("OWNER"));
    }
}

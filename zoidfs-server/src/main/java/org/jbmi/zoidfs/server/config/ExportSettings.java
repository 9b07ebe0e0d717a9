package org.jbmi.zoidfs.server.config;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/**
 * What is exported, and how.
 *
 * @param folder the root of the export
 * @param readOnly whether nothing may be changed
 * @param key 32 bytes, by which handles are checked
 * @param maxOpenFiles files that nobody uses stay open as long as no more than this are open in all
 * @param idleFileMs a file that nobody uses is closed after one to two times this, in milliseconds
 * @param maxNumberedFiles how many handles are remembered where the file system has none
 * @param user with whose rights files are accessed, or null for the process's own
 * @param fileSystemHandles whether handles of the file system may be used where there are some
 */
public record ExportSettings(
        Path folder,
        boolean readOnly,
        ExportKey key,
        int maxOpenFiles,
        long idleFileMs,
        int maxNumberedFiles,
        @Nullable UserRights user,
        boolean fileSystemHandles) {

    /** The usual limits. */
    public static ExportSettings of(Path folder, ExportKey key) {
        return new ExportSettings(folder, false, key, 1_024, 15_000, 262_144, null, true);
    }

    /** The same, read-only or not. */
    public ExportSettings withReadOnly(boolean newReadOnly) {
        return changed(newReadOnly, maxOpenFiles, idleFileMs, user, fileSystemHandles);
    }

    /** The same, with a user's rights. */
    public ExportSettings withUser(@Nullable UserRights newUser) {
        return changed(readOnly, maxOpenFiles, idleFileMs, newUser, fileSystemHandles);
    }

    /** The same, with another bound on open files. */
    public ExportSettings withMaxOpenFiles(int number) {
        return changed(readOnly, number, idleFileMs, user, fileSystemHandles);
    }

    /** The same, with another time after which files that nobody uses are closed. */
    public ExportSettings withIdleFileMs(long milliseconds) {
        return changed(readOnly, maxOpenFiles, milliseconds, user, fileSystemHandles);
    }

    /** The same, with handles that are numbers of this server's. */
    public ExportSettings withoutFileSystemHandles() {
        return changed(readOnly, maxOpenFiles, idleFileMs, user, false);
    }

    private ExportSettings changed(
            boolean newReadOnly,
            int newMaxOpenFiles,
            long newIdleFileMs,
            @Nullable UserRights newUser,
            boolean newFileSystemHandles) {
        return new ExportSettings(
                folder,
                newReadOnly,
                key,
                newMaxOpenFiles,
                newIdleFileMs,
                maxNumberedFiles,
                newUser,
                newFileSystemHandles);
    }
}

package org.jbmi.zoidfs.server.config;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/**
 * What is exported, and how.
 *
 * @param folder the root of the export
 * @param readOnly whether nothing may be changed
 * @param key 32 bytes, by which handles are checked
 * @param maxOpenFiles how many files stay open while nobody uses them
 * @param maxNumberedFiles how many handles are remembered where the file system has none
 * @param user with whose rights files are accessed, or null for the process's own
 * @param fileSystemHandles whether handles of the file system may be used where there are some
 */
public record ExportSettings(
        Path folder,
        boolean readOnly,
        ExportKey key,
        int maxOpenFiles,
        int maxNumberedFiles,
        @Nullable UserRights user,
        boolean fileSystemHandles) {

    /** The usual limits. */
    public static ExportSettings of(Path folder, ExportKey key) {
        return new ExportSettings(folder, false, key, 1_024, 262_144, null, true);
    }

    /** The same, read-only or not. */
    public ExportSettings withReadOnly(boolean newReadOnly) {
        return new ExportSettings(
                folder, newReadOnly, key, maxOpenFiles, maxNumberedFiles, user, fileSystemHandles);
    }

    /** The same, with a user's rights. */
    public ExportSettings withUser(@Nullable UserRights newUser) {
        return new ExportSettings(
                folder, readOnly, key, maxOpenFiles, maxNumberedFiles, newUser, fileSystemHandles);
    }

    /** The same, with another bound on open files. */
    public ExportSettings withMaxOpenFiles(int number) {
        return new ExportSettings(
                folder, readOnly, key, number, maxNumberedFiles, user, fileSystemHandles);
    }

    /** The same, with handles that are numbers of this server's. */
    public ExportSettings withoutFileSystemHandles() {
        return new ExportSettings(
                folder, readOnly, key, maxOpenFiles, maxNumberedFiles, user, false);
    }
}

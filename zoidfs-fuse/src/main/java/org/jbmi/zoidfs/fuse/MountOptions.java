package org.jbmi.zoidfs.fuse;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/**
 * The options of a mount.
 *
 * @param readOnly whether nothing can be changed
 * @param forAll whether other users of this host may use the mount too
 * @param library the file of libfuse3, or null to look in the usual places
 */
public record MountOptions(boolean readOnly, boolean forAll, @Nullable Path library) {
    /** For this user, to be read and written. */
    public static final MountOptions DEFAULT = new MountOptions(false, false, null);
}

package org.jbmi.zoidfs.server.files;

/**
 * Where a name is: an open directory, and the name in it.
 *
 * @param directory descriptor
 * @param name a single name, or empty for the directory itself
 * @param slashBehind whether a slash stood behind the name, so that only a directory can be meant
 * @param release what to do afterwards
 */
record Place(int directory, String name, boolean slashBehind, Runnable release)
        implements AutoCloseable {
    /** Whether it names a directory that is there already, and nothing that could be made. */
    boolean isDirectoryItself() {
        return name.isEmpty() || name.equals(".") || name.equals("..");
    }

    @Override
    public void close() {
        release.run();
    }
}

package org.jbmi.zoidfs.server.files;

/**
 * An open directory and a name in it.
 *
 * @param directory descriptor
 * @param name a single name, or empty for the directory itself
 * @param hasTrailingSlash whether a slash follows the name, so that it can only name a directory
 * @param release closes the directory, or ends the use of it
 */
record Place(int directory, String name, boolean hasTrailingSlash, Runnable release)
        implements AutoCloseable {
    /** Whether it names an existing directory, so that no file can be created there. */
    boolean isDirectoryItself() {
        return name.isEmpty() || name.equals(".") || name.equals("..");
    }

    @Override
    public void close() {
        release.run();
    }
}

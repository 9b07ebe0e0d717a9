package org.jbmi.zoidfs.protocol;

/** The numbers of the kinds of files. */
public final class FileType {
    public static final int INVALID = 0;
    public static final int REGULAR = 1;
    public static final int DIRECTORY = 2;
    public static final int SYMLINK = 3;
    public static final int CHARACTER_DEVICE = 4;
    public static final int BLOCK_DEVICE = 5;
    public static final int FIFO = 6;
    public static final int SOCKET = 7;

    private FileType() {}
}

package org.jbmi.zoidfs.protocol;

/** One bit for each attribute: which of them a message asks for, or sets. */
public final class AttributeMask {
    public static final int MODE = 1;
    public static final int NLINK = 1 << 1;
    public static final int UID = 1 << 2;
    public static final int GID = 1 << 3;
    public static final int SIZE = 1 << 4;
    public static final int BLOCKSIZE = 1 << 5;
    public static final int FSID = 1 << 6;
    public static final int FILEID = 1 << 7;
    public static final int ATIME = 1 << 8;
    public static final int MTIME = 1 << 9;
    public static final int CTIME = 1 << 10;

    /** All attributes. */
    public static final int ALL = 0x7ff;

    /** Those that set_attr can change; the size is not among them. */
    public static final int SETTABLE = MODE | UID | GID | ATIME | MTIME;

    /** Only in the flags of readdir: asks for handles too. */
    public static final int READDIR_HANDLES = 1 << 16;

    private AttributeMask() {}
}

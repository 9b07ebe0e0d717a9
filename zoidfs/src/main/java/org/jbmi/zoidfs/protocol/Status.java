package org.jbmi.zoidfs.protocol;

import java.util.Map;

/**
 * The numbers with which replies begin. Up to 38 they are the error numbers of Linux, from 63 on
 * they are not. Clients use TIMEOUT for a server that does not answer.
 */
public final class Status {
    public static final int OK = 0;
    public static final int PERM = 1;
    public static final int NOENT = 2;
    public static final int IO = 5;
    public static final int NXIO = 6;
    public static final int NOMEM = 12;
    public static final int ACCES = 13;
    public static final int EXIST = 17;
    public static final int NODEV = 19;
    public static final int NOTDIR = 20;
    public static final int ISDIR = 21;
    public static final int INVAL = 22;
    public static final int FBIG = 27;
    public static final int NOSPC = 28;
    public static final int ROFS = 30;
    public static final int NOTIMPL = 38;
    public static final int NAMETOOLONG = 63;
    public static final int NOTEMPTY = 66;
    public static final int DQUOT = 69;
    public static final int STALE = 70;
    public static final int WFLUSH = 99;
    public static final int XDR = 100;
    public static final int MISC = 101;
    public static final int TIMEOUT = 1000;
    public static final int OTHER = 99_999;

    private static final Map<Integer, String> TEXTS =
            Map.ofEntries(
                    Map.entry(OK, "success"),
                    Map.entry(PERM, "operation not permitted"),
                    Map.entry(NOENT, "no such file or directory"),
                    Map.entry(IO, "input or output error"),
                    Map.entry(NXIO, "no such device or address"),
                    Map.entry(NOMEM, "out of memory"),
                    Map.entry(ACCES, "permission denied"),
                    Map.entry(EXIST, "file exists"),
                    Map.entry(NODEV, "no such device"),
                    Map.entry(NOTDIR, "not a directory"),
                    Map.entry(ISDIR, "is a directory"),
                    Map.entry(INVAL, "invalid argument"),
                    Map.entry(FBIG, "file too large"),
                    Map.entry(NOSPC, "no space left on the server's device"),
                    Map.entry(ROFS, "the export is read-only"),
                    Map.entry(NOTIMPL, "not implemented by the server"),
                    Map.entry(NAMETOOLONG, "name too long"),
                    Map.entry(NOTEMPTY, "directory not empty"),
                    Map.entry(DQUOT, "quota exceeded"),
                    Map.entry(STALE, "stale handle: the server does not know the file any more"),
                    Map.entry(WFLUSH, "written data could not be flushed"),
                    Map.entry(XDR, "malformed message"),
                    Map.entry(MISC, "miscellaneous error"),
                    Map.entry(TIMEOUT, "timed out"),
                    Map.entry(OTHER, "another error"));

    private Status() {}

    /** The text of a number, for messages. */
    public static String text(int status) {
        return TEXTS.getOrDefault(status, "unknown status " + status);
    }
}

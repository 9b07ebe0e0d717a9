package org.jbmi.zoidfs.server.os;

/** What a file system does for an answer whose facts are in memory already. */
public enum FileSystemKind {
    /** It may ask another host or process, or nobody knows it. */
    FAR,
    /** It is of this host, and each read changes the time of the last read. */
    NEAR_TIMES_EACH_READ,
    /** The same, and a read changes that time where it is older than the last change, or a day. */
    NEAR_TIMES_FEW_READS,
    /** The same, and no read changes a time. */
    NEAR_TIMES_NO_READ
}

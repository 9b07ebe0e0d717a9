package org.jbmi.zoidfs.server.os;

/**
 * Whether a file system answers from memory, and whether a read changes the time of the last read.
 */
public enum FileSystemKind {
    /** It may ask another host or process, or is unknown. */
    REMOTE_OR_UNKNOWN,
    /** On this host; each read changes the time. */
    LOCAL_STRICTATIME,
    /** On this host; a read changes the time if it is older than the last change, or than a day. */
    LOCAL_RELATIME,
    /** On this host; no read changes the time. */
    LOCAL_NOATIME
}

package org.jbmi.zoid.forward.client;

import org.jspecify.annotations.Nullable;

/** The errors of the forwarding layer, with their Linux numbers. */
public enum ZoidError {
    /** No error. */
    NONE(0),
    /** The thread that waited was interrupted; the call was cancelled. */
    EINTR(4),
    /** The forwarding layer failed in a way that has no number of its own. */
    EIO(5),
    /** A request or a reply is larger than a message may be. */
    E2BIG(7),
    /** Too many calls of this process are under way, or the server takes in no more processes. */
    EAGAIN(11),
    /** The server, or the plug-in, has no memory for it. */
    ENOMEM(12),
    /** The server does not let this process do that. */
    EACCES(13),
    /** The server knows no such process. */
    ESRCH(3),
    /** The arguments are not those of the function. */
    EINVAL(22),
    /** The server has not loaded the plug-in, or the plug-in has no such function. */
    ENOSYS(38),
    /** The interfaces of the two sides differ. */
    EPROTOTYPE(91),
    /** The server has gone. */
    ECONNRESET(104),
    /** The call took longer than the client waits. */
    ETIMEDOUT(110),
    /** The function threw an exception, or broke a rule. */
    EREMOTEIO(121),
    /** Memory of plug-ins is beyond the server's quota. */
    EDQUOT(122),
    /** The client, or the connection, was closed. */
    ECANCELED(125);

    private final int number;

    ZoidError(int number) {
        this.number = number;
    }

    /**
     * Its number.
     *
     * @return as Linux has it, positive; 0 for none
     */
    public int number() {
        return number;
    }

    /**
     * Finds an error by its number.
     *
     * @param number as Linux has it
     * @return the error, or null if it is none of these
     */
    public static @Nullable ZoidError of(int number) {
        for (ZoidError error : values()) {
            if (error.number == number) {
                return error;
            }
        }
        return null;
    }
}

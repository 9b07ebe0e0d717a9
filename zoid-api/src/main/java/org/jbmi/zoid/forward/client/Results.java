package org.jbmi.zoid.forward.client;

/** Helpers for functions that return a negative error number, as the system calls of Linux do. */
public final class Results {
    private Results() {}

    /**
     * Combines both kinds of errors: of the forwarding layer and of the function.
     *
     * @param zoid the client, which gives error codes
     * @param result what the function returned
     * @return what {@code errno} would be: a positive number, or 0 for success
     */
    public static int errorNumber(Zoid zoid, long result) {
        int forwarding = zoid.error();
        if (forwarding != 0) {
            return forwarding;
        }
        return result < 0 ? Math.toIntExact(-result) : 0;
    }
}

package org.jbmi.tools.cli;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.os.NativeAccess;

import java.util.Optional;
import java.util.function.LongFunction;

/** What a command needs from the machine. */
public final class Requirements {
    private static final long LEAST_POOL_BYTES = 8L << 20;

    private Requirements() {}

    /**
     * Checks shared memory and the system calls of zoid.
     *
     * @param advice what to do without them, as the end of a sentence; may be empty
     * @throws ToolException if the machine does not have them; the message says why
     */
    public static void zoid(String advice) throws ToolException {
        Optional<String> reason = NativeAccess.unavailabilityReason();
        if (reason.isPresent()) {
            throw new ToolException("zoid cannot be used here: " + reason.get() + advice + ".");
        }
    }

    /**
     * Opens a host with a pool, which is halved until it fits.
     *
     * @param bytes the wanted size of the pool
     * @param open opens with a size in bytes
     * @throws BmiException with {@link ErrorCode#ENOSPC} if the least pool does not fit either
     */
    public static <T> T poolThatFits(long bytes, LongFunction<T> open) {
        try {
            return open.apply(bytes);
        } catch (BmiException e) {
            if (e.code() != ErrorCode.ENOSPC || bytes / 2 < LEAST_POOL_BYTES) {
                throw e;
            }
        }
        return poolThatFits(bytes / 2, open);
    }
}

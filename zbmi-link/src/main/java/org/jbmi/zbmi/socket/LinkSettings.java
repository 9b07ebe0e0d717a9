package org.jbmi.zbmi.socket;

import org.jbmi.mempool.Parking;
import org.jbmi.mempool.ThreadParking;

import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The system services and limits of a client's link. A simulation replaces the services.
 *
 * @param sockets where its sockets and their selectors come from
 * @param parking how its threads wait for each other
 * @param stallNs how long the gateway may move nothing while a transfer is under way; positive
 * @param bufferBytes room for frames that are not written yet, 0 or more; there is always room for
 *     one message
 */
public record LinkSettings(
        SelectorProvider sockets, Parking parking, long stallNs, int bufferBytes) {
    /**
     * A little longer than a gateway's default, so that the gateway ends a stalled transfer first.
     */
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(90);

    /**
     * Checks both numbers.
     *
     * @throws IllegalArgumentException for one that makes no sense, in words
     */
    public LinkSettings {
        Objects.requireNonNull(sockets);
        Objects.requireNonNull(parking);
        if (stallNs <= 0) {
            throw new IllegalArgumentException(
                    "a gateway cannot be given " + stallNs + " ns to move something");
        }
        if (bufferBytes < 0) {
            throw new IllegalArgumentException("a buffer of " + bufferBytes + " bytes");
        }
    }

    /** Those of the running system. */
    public static LinkSettings production() {
        return new LinkSettings(
                SelectorProvider.provider(),
                ThreadParking.INSTANCE,
                STALL_NS,
                FrameWriter.BUFFER_BYTES);
    }
}

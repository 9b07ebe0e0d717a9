package org.jbmi.zoid.forward.wire;

import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Shipped;

import java.util.Optional;

/** A forwarded call. */
public final class Forwarded {
    /**
     * Each request and each reply counts this many bytes more than its body: the size of the call's
     * header. Bytes that the method adds do not count.
     */
    public static final int HEADER_BYTES = 64;

    private Forwarded() {}

    /**
     * The request.
     *
     * @param process who calls
     * @param key the key with which that process has connected
     * @param plugin the number of the plug-in
     * @param function the place of the function in its interface, from 0 on
     * @param signature the hash of the function's signature
     * @param body the arguments, unless they are exposed
     * @param exposedBody the arguments, if they wait for their turn
     * @param in the input array with {@code @ZeroCopy}
     * @param out the output array with {@code @ZeroCopy}
     */
    @Shipped
    @SuppressWarnings("ArrayRecordComponent") // read once, and never compared
    public record In(
            int process,
            long key,
            int plugin,
            int function,
            long signature,
            byte[] body,
            Optional<BulkHandle> exposedBody,
            Optional<BulkHandle> in,
            Optional<BulkHandle> out) {}

    /**
     * The reply.
     *
     * @param error 0, or the number of an error of the forwarding layer
     * @param excessBytes by how much something was too large, if it was
     * @param text what happened, empty if nothing did
     * @param body the results
     */
    @Shipped
    @SuppressWarnings("ArrayRecordComponent") // read once, and never compared
    public record Out(int error, long excessBytes, String text, byte[] body) {}
}

package org.jbmi.loopback;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.spi.MethodAddress;
import org.jspecify.annotations.Nullable;

/**
 * A member's record of another member. A record with a name refers to the member that listens under
 * it, and to its successor when that one closes. A record without a name refers to one client and
 * ends with it.
 */
final class LoopbackAddress extends MethodAddress {
    static final String PREFIX = "loopback://";
    private static final int MAX_NAME_LENGTH = 200;

    private final LoopbackMethod local;
    private final @Nullable String name;
    private volatile @Nullable LoopbackMethod peer;

    /**
     * What the peer's store has for this member as a sender, to find it without a search; guarded
     * by the lock of the peer's inbox.
     */
    @Nullable UnexpectedSender sender;

    /** The record of a name, for the member that listens under it when it is needed. */
    LoopbackAddress(LoopbackMethod local, String name) {
        this.local = local;
        this.name = name;
    }

    /** The record of a member without a name. */
    LoopbackAddress(LoopbackMethod local, LoopbackMethod peer) {
        this.local = local;
        this.name = null;
        this.peer = peer;
    }

    /** The name in an address. */
    static String nameOf(String address) {
        String name = address.startsWith(PREFIX) ? address.substring(PREFIX.length()) : "";
        if (name.isEmpty()
                || name.length() > MAX_NAME_LENGTH
                || !name.chars().allMatch(LoopbackAddress::mayStandInName)) {
            throw new BmiException(
                    ErrorCode.ENOPROTOOPT,
                    "A loopback address is "
                            + PREFIX
                            + "NAME with a name of letters, digits and the signs . _ - : up to "
                            + MAX_NAME_LENGTH
                            + ", not \""
                            + address
                            + "\".");
        }
        return name;
    }

    private static boolean mayStandInName(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || ".-_:".indexOf(c) >= 0;
    }

    /** The member that owns this record. */
    LoopbackMethod local() {
        return local;
    }

    /** The other member, perhaps closed by now; null if none ever listened under the name. */
    @Nullable LoopbackMethod peer() {
        LoopbackMethod bound = peer;
        return bound != null && bound.isOpen() ? bound : rebind(bound);
    }

    /** The present member, without looking for another. */
    @Nullable LoopbackMethod boundPeer() {
        return peer;
    }

    private @Nullable LoopbackMethod rebind(@Nullable LoopbackMethod closed) {
        LoopbackMethod found = name == null ? null : local.hub().find(name);
        if (found == null) {
            return closed;
        }
        peer = found;
        return found;
    }

    @Override
    public boolean isOwnUser() {
        return true; // this very process
    }

    @Override
    public String displayName() {
        LoopbackMethod bound = peer;
        return name != null
                ? PREFIX + name
                : "loopback client " + (bound == null ? "?" : Long.toString(bound.number()));
    }
}

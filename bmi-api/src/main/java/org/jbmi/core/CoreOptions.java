package org.jbmi.core;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.Options;
import org.jbmi.spi.Method;
import org.jspecify.annotations.Nullable;

/** Sets and gets options: a few are the core's, the others go to the methods. */
final class CoreOptions {
    private final CoreBmi owner;
    private volatile boolean checkUnexpected = true;

    CoreOptions(CoreBmi owner) {
        this.owner = owner;
    }

    boolean checkUnexpected() {
        return checkUnexpected;
    }

    <T> void set(@Nullable CorePeer peer, Option<T> option, T value) {
        if (!option.settable()) {
            throw new BmiException(ErrorCode.ENOSYS, option.name() + " cannot be set.");
        }
        if (!option.type().isInstance(value)) {
            throw CoreBmi.invalid(
                    option.name()
                            + " takes a value of type "
                            + option.type().getSimpleName()
                            + ".");
        }
        Method[] active = owner.progress().methods();
        if (peer == null && active.length == 0) {
            throw CoreBmi.invalid("No method is active that could take " + option.name() + ".");
        }
        if (option.equals(Options.CHECK_UNEXPECTED)) {
            checkUnexpected = (Boolean) value;
        } else if (peer == null) {
            setForAll(active, option, value);
        } else {
            setForPeer(peer, option, value);
        }
    }

    private static void setForAll(Method[] active, Option<?> option, Object value) {
        // References and addresses are of one peer: without one there is nothing to do, as in C.
        for (Method method : active) {
            method.setOption(null, option, value);
        }
    }

    private void setForPeer(CorePeer peer, Option<?> option, Object value) {
        PeerTable peers = owner.peers();
        if (option.equals(Options.INCREMENT_REFERENCE)) {
            peers.retain(peer);
        } else if (option.equals(Options.DECREMENT_REFERENCE)) {
            peers.release(peer);
        } else if (option.equals(Options.DROP_ADDRESS)) {
            peers.forceDrop(peer);
        } else {
            boolean known = peer.method.setOption(peer.address, option, value);
            if (known && option.equals(Options.TCP_CLOSE_SOCKET)) {
                peers.forceDrop(peer);
            }
        }
    }

    <T> T get(@Nullable CorePeer peer, Option<T> option) {
        Object value = option.gettable() ? find(peer, option) : null;
        if (value == null) {
            throw new BmiException(
                    ErrorCode.ENOSYS, "Nothing here can tell " + option.name() + ".");
        }
        return option.type().cast(value);
    }

    private @Nullable Object find(@Nullable CorePeer peer, Option<?> option) {
        if (option.equals(Options.CHECK_INITIALIZED)) {
            return owner.progress().methods().length > 0;
        }
        if (option.equals(Options.TRANSPORT_METHODS)) {
            return owner.registry().schemes();
        }
        if (option.equals(Options.CHECK_UNEXPECTED)) {
            return checkUnexpected;
        }
        return peer == null ? findForAll(option) : findForPeer(peer, option);
    }

    private @Nullable Object findForAll(Option<?> option) {
        Method[] active = owner.progress().methods();
        if (option.equals(Options.MAX_EXPECTED_BYTES)
                || option.equals(Options.MAX_UNEXPECTED_BYTES)) {
            return least(active, option);
        }
        for (Method method : active) {
            Object value = method.getOption(null, option);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    private static Object least(Method[] active, Option<?> option) {
        if (active.length == 0) {
            throw new BmiException(
                    ErrorCode.ENETDOWN,
                    "No method is active that could tell " + option.name() + ".");
        }
        long least = Long.MAX_VALUE;
        for (Method method : active) {
            least = Math.min(least, limit(method, option));
        }
        return least;
    }

    private static long limit(Method method, Option<?> option) {
        return option.equals(Options.MAX_EXPECTED_BYTES)
                ? method.limits().maxExpectedBytes()
                : method.limits().maxUnexpectedBytes();
    }

    private static @Nullable Object findForPeer(CorePeer peer, Option<?> option) {
        if (option.equals(Options.MAX_EXPECTED_BYTES)
                || option.equals(Options.MAX_UNEXPECTED_BYTES)) {
            return limit(peer.method, option);
        }
        if (option.equals(Options.METHOD_ADDRESS)) {
            return peer.address;
        }
        if (option.equals(Options.DROP_ADDRESS_QUERY)) {
            return peer.method.mayDrop(peer.address);
        }
        return peer.method.getOption(peer.address, option);
    }
}

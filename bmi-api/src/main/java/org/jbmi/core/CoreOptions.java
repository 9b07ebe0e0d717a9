package org.jbmi.core;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.Options;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.core.unexpected.UnexpectedStore;
import org.jbmi.core.waiting.Arguments;
import org.jbmi.core.waiting.Progress;
import org.jbmi.spi.Method;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Sets and gets options: the core handles a few, the methods the others. */
final class CoreOptions {
    private final Progress progress;
    private final UnexpectedStore unexpected;
    private final List<Option<?>> all;

    CoreOptions(Progress progress, UnexpectedStore unexpected, List<Option<?>> ofMethods) {
        this.progress = progress;
        this.unexpected = unexpected;
        List<Option<?>> sorted = new ArrayList<>(Options.all());
        sorted.addAll(ofMethods);
        sorted.sort(Comparator.comparingInt(Option::standaloneNumber));
        all = List.copyOf(sorted);
    }

    <T> void set(@Nullable CorePeer peer, Option<T> option, T value) {
        if (!option.settable()) {
            throw new BmiException(ErrorCode.ENOSYS, option.name() + " cannot be set.");
        }
        if (!option.type().isInstance(value)) {
            throw Arguments.invalid(
                    option.name()
                            + " takes a value of type "
                            + option.type().getSimpleName()
                            + ".");
        }
        Method[] active = progress.methods();
        if (peer == null && active.length == 0) {
            throw Arguments.invalid(
                    "No method is active that could take "
                            + option.name()
                            + "; look up an address first.");
        }
        if (option.equals(Options.CHECK_UNEXPECTED)) {
            unexpected.wakesContexts((Boolean) value);
        } else if (peer == null) {
            setForAll(active, option, value);
        } else {
            peer.method().setOption(peer.address(), option, value);
        }
    }

    private static void setForAll(Method[] active, Option<?> option, Object value) {
        for (Method method : active) {
            method.setOption(null, option, value);
        }
    }

    List<Option<?>> all() {
        return all;
    }

    <T> Option<T> named(String name, Class<T> type) {
        for (Option<?> option : all) {
            if (option.name().equals(name)) {
                return checked(option, type);
            }
        }
        throw new BmiException(
                ErrorCode.ENOSYS, "No method that was found has an option " + name + ".");
    }

    @SuppressWarnings("unchecked") // the type was compared
    private static <T> Option<T> checked(Option<?> option, Class<T> type) {
        if (option.type() != type) {
            throw Arguments.invalid(
                    option.name() + " has a value of type " + option.type().getSimpleName() + ".");
        }
        return (Option<T>) option;
    }

    @Nullable Option<?> numbered(Option.Numbering numbering, int number) {
        for (Option<?> option : all) {
            if (number > 0 && option.number(numbering) == number) {
                return option;
            }
        }
        return null;
    }

    <T> T get(@Nullable CorePeer peer, Option<T> option) {
        Object value = option.gettable() ? find(peer, option) : null;
        if (value == null) {
            throw new BmiException(
                    ErrorCode.ENOSYS,
                    "No active method here has a value of " + option.name() + ".");
        }
        return option.type().cast(value);
    }

    private @Nullable Object find(@Nullable CorePeer peer, Option<?> option) {
        if (option.equals(Options.CHECK_UNEXPECTED)) {
            return unexpected.wakesContexts();
        }
        return peer == null ? findForAll(option) : findForPeer(peer, option);
    }

    private @Nullable Object findForAll(Option<?> option) {
        Method[] active = progress.methods();
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
                    "No method is active that has a value of "
                            + option.name()
                            + "; look up an address first.");
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
            return limit(peer.method(), option);
        }
        return peer.method().getOption(peer.address(), option);
    }
}

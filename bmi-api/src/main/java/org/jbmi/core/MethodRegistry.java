package org.jbmi.core;

import org.jbmi.core.waiting.Arguments;
import org.jbmi.core.waiting.Progress;
import org.jbmi.spi.Failures;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodProvider;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** The active methods. */
final class MethodRegistry {
    private final MethodProviders providers;
    private final Progress progress;

    /** Makes what a method of a scheme sees of the core. */
    private final Function<String, HostBridge> hosts;

    private final Map<String, Method> active = new ConcurrentHashMap<>();

    /** Those that no thread closes yet. */
    private final Set<Method> open = ConcurrentHashMap.newKeySet();

    private final ReentrantLock opening = new ReentrantLock();

    MethodRegistry(
            MethodProviders providers, Progress progress, Function<String, HostBridge> hosts) {
        this.providers = providers;
        this.progress = progress;
        this.hosts = hosts;
    }

    /** The first scheme whose method is available; the first of all if none is. */
    String firstAvailable(List<String> schemes) {
        for (String scheme : schemes) {
            if (active.containsKey(scheme) || providers.isAvailable(scheme)) {
                return scheme;
            }
        }
        return schemes.getFirst(); // activating it explains why it is unavailable
    }

    /**
     * Returns the method of a scheme, and activates it if needed. Opening a method may take time; a
     * call for an active method does not wait for it.
     *
     * @param listenAddresses what it serves if it is activated now
     */
    Method activate(String scheme, List<String> listenAddresses) {
        Method known = active.get(scheme);
        if (known != null) {
            return known;
        }
        opening.lock();
        try {
            Method method = active.get(scheme);
            return method != null ? method : openMethod(scheme, listenAddresses);
        } finally {
            opening.unlock();
        }
    }

    private Method openMethod(String scheme, List<String> listenAddresses) {
        progress.checkOpen();
        MethodProvider provider = providers.available(scheme);
        HostBridge host = hosts.apply(scheme);
        Method method = provider.open(host, listenAddresses);
        if (method == null) {
            throw Arguments.invalid("The method \"" + scheme + "\" returned null from open.");
        }
        try {
            open.add(method);
            progress.add(method, () -> host.opened(method, () -> active.put(scheme, method)));
        } catch (RuntimeException | Error e) {
            discard(method, e);
            throw e;
        }
        if (progress.isClosing() && open.remove(method)) {
            method.close(); // the thread that closes did not wait for this method, and missed it
            throw Progress.closedInstance();
        }
        return method;
    }

    /** Closes a method that the core cannot use. */
    private void discard(Method method, Throwable cause) {
        open.remove(method);
        try {
            method.close();
        } catch (RuntimeException | Error e) {
            Failures.first(cause, e);
        }
    }

    /**
     * Closes all methods, the last opened first, even if one fails. A method that is being opened
     * is closed by the thread that opens it. Each method may take an equal share of the time that
     * is left, so that one whose peers hang leaves time to the others.
     *
     * @param endNs when all is to be over, on {@link System#nanoTime()}'s scale
     */
    void closeAll(long endNs) {
        Throwable failure = null;
        Method[] methods = progress.methods();
        for (int i = methods.length - 1; i >= 0; i--) {
            try {
                if (open.remove(methods[i])) {
                    methods[i].close(shareOf(endNs, i + 1));
                }
            } catch (RuntimeException | Error e) {
                failure = Failures.first(failure, e);
            }
        }
        Failures.rethrow(failure);
    }

    /** The deadline for one of several parties that share the time until an end. */
    static long shareOf(long endNs, int sharers) {
        long nowNs = System.nanoTime();
        return nowNs + Math.max(0, endNs - nowNs) / sharers;
    }
}

package org.jbmi.core;

import org.jbmi.core.waiting.Progress;
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

    /** Those of them that nobody closes yet. */
    private final Set<Method> open = ConcurrentHashMap.newKeySet();

    private final ReentrantLock opening = new ReentrantLock();

    MethodRegistry(
            MethodProviders providers, Progress progress, Function<String, HostBridge> hosts) {
        this.providers = providers;
        this.progress = progress;
        this.hosts = hosts;
    }

    /** The first scheme whose method is there and available; the first of all if none is. */
    String firstAvailable(List<String> schemes) {
        for (String scheme : schemes) {
            if (active.containsKey(scheme) || providers.isAvailable(scheme)) {
                return scheme;
            }
        }
        return schemes.getFirst(); // whose activation says what is wrong with it
    }

    /**
     * Gives the active method of a scheme, activating it if need be. Opening a method may take
     * time; who asks for one that is active does not wait for that.
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
        host.opened(method);
        open.add(method);
        active.put(scheme, method);
        progress.add(method);
        if (progress.isClosing() && open.remove(method)) {
            method.close(); // who closes did not wait for this method to open, and missed it
            throw Progress.closedInstance();
        }
        return method;
    }

    /**
     * Closes all methods, the youngest first; a failure of one does not keep the others open. Does
     * not wait for a method that is being opened: that one is closed by who opens it. Each method
     * may take an equal share of the time that is left when its turn comes, so that one whose peers
     * hang leaves some to the others.
     *
     * @param endNs when all is to be over, on {@link System#nanoTime()}'s scale
     */
    void closeAll(long endNs) {
        RuntimeException failure = null;
        Error error = null;
        List<Method> methods = List.of(progress.methods()).reversed();
        for (int i = 0; i < methods.size(); i++) {
            Method method = methods.get(i);
            try {
                if (open.remove(method)) {
                    method.close(shareOf(endNs, methods.size() - i));
                }
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            } catch (Error e) {
                error = e; // the others are closed all the same
            }
        }
        if (error != null) {
            throw error;
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The deadline of one of several who share the time until an end. */
    static long shareOf(long endNs, int sharers) {
        long nowNs = System.nanoTime();
        return nowNs + Math.max(0, endNs - nowNs) / sharers;
    }
}

package org.jbmi.core;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.config.Knob;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodProvider;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** The methods that were found, and those of them that are active. */
final class MethodRegistry {
    private static final String C_PREFIX = "bmi_";

    private final Map<String, MethodProvider> providers = new LinkedHashMap<>();
    private final Map<String, Method> active = new ConcurrentHashMap<>();

    /** Those of them that nobody closes yet. */
    private final Set<Method> open = ConcurrentHashMap.newKeySet();

    private final ReentrantLock opening = new ReentrantLock();

    MethodRegistry() {
        List<MethodProvider> found = new ArrayList<>();
        ServiceLoader.load(MethodProvider.class).forEach(found::add);
        found.sort(Comparator.comparing(MethodProvider::scheme));
        for (MethodProvider provider : found) {
            providers.putIfAbsent(provider.scheme(), provider);
        }
    }

    List<String> schemes() {
        return List.copyOf(providers.keySet());
    }

    List<Knob<?>> knobs() {
        List<Knob<?>> knobs = new ArrayList<>(CoreKnobs.all());
        for (MethodProvider provider : providers.values()) {
            knobs.addAll(provider.knobs());
        }
        return knobs;
    }

    List<Option<?>> options() {
        List<Option<?>> options = new ArrayList<>();
        for (MethodProvider provider : providers.values()) {
            options.addAll(provider.options());
        }
        return options;
    }

    /**
     * The scheme of an address: what stands before the colon, up to a hyphen that begins a zone;
     * null if there is none.
     */
    static @Nullable String schemeOf(String address) {
        int colon = address.indexOf(':');
        int hyphen = address.indexOf('-');
        int end = hyphen > 0 && hyphen < colon ? hyphen : colon;
        return end <= 0 ? null : address.substring(0, end);
    }

    /** The scheme that a method's name means, in its own or the C library's spelling. */
    static String schemeOfMethod(String name) {
        return name.startsWith(C_PREFIX) ? name.substring(C_PREFIX.length()) : name;
    }

    /** The first scheme whose method is there and available; the first of all if none is. */
    String firstAvailable(List<String> schemes) {
        for (String scheme : schemes) {
            MethodProvider provider = providers.get(scheme);
            if (active.containsKey(scheme)
                    || (provider != null && provider.availability().reason() == null)) {
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
    Method activate(CoreBmi owner, String scheme, List<String> listenAddresses) {
        Method known = active.get(scheme);
        if (known != null) {
            return known;
        }
        opening.lock();
        try {
            Method method = active.get(scheme);
            return method != null ? method : openMethod(owner, scheme, listenAddresses);
        } finally {
            opening.unlock();
        }
    }

    private Method openMethod(CoreBmi owner, String scheme, List<String> listenAddresses) {
        owner.checkOpen();
        MethodProvider provider = providers.get(scheme);
        if (provider == null) {
            throw new BmiException(
                    ErrorCode.ENOPROTOOPT,
                    "There is no method \"" + scheme + "\"; there are " + schemes() + ".");
        }
        Availability availability = provider.availability();
        String reason = availability.reason();
        if (reason != null) {
            throw new BmiException(
                    ErrorCode.ENOPROTOOPT,
                    "The method \"" + scheme + "\" is not available: " + reason);
        }
        HostBridge host = new HostBridge(owner, scheme);
        Method method = provider.open(host, listenAddresses);
        host.opened(method);
        open.add(method);
        active.put(scheme, method);
        owner.progress().add(method);
        if (owner.isClosing() && open.remove(method)) {
            method.close(); // who closes did not wait for this method to open, and missed it
            throw CoreBmi.closedInstance();
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
    void closeAll(CoreBmi owner, long endNs) {
        RuntimeException failure = null;
        Error error = null;
        List<Method> methods = List.of(owner.progress().methods()).reversed();
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

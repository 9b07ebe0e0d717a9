package org.jbmi.core;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.config.Knob;
import org.jbmi.spi.MethodProvider;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** The methods that were found, by scheme. Immutable. */
final class MethodProviders {
    private static final String C_PREFIX = "bmi_";

    private final Map<String, MethodProvider> providers = new LinkedHashMap<>();

    MethodProviders() {
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

    /** The scheme of a method's name, in this library's or the C library's spelling. */
    static String schemeOfMethod(String name) {
        return name.startsWith(C_PREFIX) ? name.substring(C_PREFIX.length()) : name;
    }

    boolean isAvailable(String scheme) {
        MethodProvider provider = providers.get(scheme);
        return provider != null && provider.availability().reason() == null;
    }

    /** The provider of a scheme that can be used here; refuses every other scheme. */
    MethodProvider available(String scheme) {
        MethodProvider provider = providers.get(scheme);
        if (provider == null) {
            throw new BmiException(
                    ErrorCode.ENOPROTOOPT,
                    "There is no method \"" + scheme + "\"; there are " + schemes() + ".");
        }
        String reason = provider.availability().reason();
        if (reason != null) {
            throw new BmiException(
                    ErrorCode.ENOPROTOOPT,
                    "The method \"" + scheme + "\" is not available: " + reason);
        }
        return provider;
    }
}

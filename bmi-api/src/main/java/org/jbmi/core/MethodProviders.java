package org.jbmi.core;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.config.Knob;
import org.jbmi.core.waiting.Arguments;
import org.jbmi.spi.MethodProvider;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The methods that were found, by scheme. Immutable. */
final class MethodProviders {
    private static final String C_PREFIX = "bmi_";

    /** A zone follows the scheme in an address, behind a hyphen; so a scheme has none. */
    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9]*");

    private final Map<String, MethodProvider> providers = new TreeMap<>();

    MethodProviders() {
        for (MethodProvider provider : found()) {
            String scheme = checkedScheme(provider);
            MethodProvider other = providers.put(scheme, provider);
            if (other != null) {
                throw Arguments.invalid(
                        "The methods of %s and %s both have the scheme \"%s\"."
                                .formatted(name(other), name(provider), scheme));
            }
        }
    }

    // What the loader throws is an Error, also for a mere mistake in a line of a services file.
    private static List<MethodProvider> found() {
        List<MethodProvider> found = new ArrayList<>();
        try {
            ServiceLoader.load(MethodProvider.class).forEach(found::add);
        } catch (ServiceConfigurationError e) {
            Throwable cause = e.getCause();
            if (cause instanceof VirtualMachineError broken) {
                throw broken;
            }
            throw notLoaded(e.getMessage() + (cause == null ? "" : ": " + cause), e);
        } catch (LinkageError e) {
            throw notLoaded(e.toString(), e);
        }
        return found;
    }

    private static BmiException notLoaded(String why, Error failure) {
        return new BmiException(
                ErrorCode.EINVAL, "A method cannot be loaded. " + why + ".", failure);
    }

    private static String checkedScheme(MethodProvider provider) {
        String scheme = ask(provider, "scheme", MethodProvider::scheme);
        if (!SCHEME.matcher(scheme).matches()) {
            throw Arguments.invalid(
                    ("The method of %s has the scheme \"%s\"; one is a small letter, and small"
                                    + " letters and digits behind it.")
                            .formatted(name(provider), scheme));
        }
        return scheme;
    }

    // A provider may be code of the program: whoever opens a Bmi must hear which one has failed.
    private static <T> T ask(
            MethodProvider provider, String what, Function<MethodProvider, T> question) {
        try {
            return Objects.requireNonNull(question.apply(provider), "it is null");
        } catch (RuntimeException | LinkageError e) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "The method of %s does not give its %s: %s.".formatted(name(provider), what, e),
                    e);
        }
    }

    private static @Nullable String reason(MethodProvider provider) {
        return ask(provider, "availability", MethodProvider::availability).reason();
    }

    private static String name(MethodProvider provider) {
        return provider.getClass().getName();
    }

    List<String> schemes() {
        return List.copyOf(providers.keySet());
    }

    List<Knob<?>> knobs() {
        List<Knob<?>> knobs = new ArrayList<>(CoreKnobs.all());
        for (MethodProvider provider : providers.values()) {
            knobs.addAll(ask(provider, "knobs", MethodProvider::knobs));
        }
        return knobs;
    }

    List<Option<?>> options() {
        List<Option<?>> options = new ArrayList<>();
        for (MethodProvider provider : providers.values()) {
            options.addAll(ask(provider, "options", MethodProvider::options));
        }
        return options;
    }

    /** The scheme of a method's name, in this library's or the C library's spelling. */
    static String schemeOfMethod(String name) {
        return name.startsWith(C_PREFIX) ? name.substring(C_PREFIX.length()) : name;
    }

    boolean isAvailable(String scheme) {
        MethodProvider provider = providers.get(scheme);
        return provider != null && reason(provider) == null;
    }

    /** The provider of a scheme that can be used here; refuses every other scheme. */
    MethodProvider available(String scheme) {
        MethodProvider provider = providers.get(scheme);
        if (provider == null) {
            throw new BmiException(
                    ErrorCode.ENOPROTOOPT,
                    "There is no method \""
                            + scheme
                            + "\"; there are "
                            + String.join(", ", schemes())
                            + ".");
        }
        String reason = reason(provider);
        if (reason != null) {
            throw new BmiException(
                    ErrorCode.ENOPROTOOPT,
                    "The method \"" + scheme + "\" is not available: " + reason);
        }
        return provider;
    }
}

package org.jbmi.config;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The value of every knob and where it came from. Immutable. A value given to the builder overrides
 * the system property, which overrides the environment variable, which overrides the default.
 */
public final class Configuration {
    /** Where a value came from. */
    public enum Source {
        /** The declaration of the knob. */
        DEFAULT,
        /** An environment variable. */
        ENVIRONMENT,
        /** A system property. */
        PROPERTY,
        /** The builder or the command line. */
        BUILDER
    }

    /**
     * A knob with its value.
     *
     * @param knob the declaration
     * @param value its value
     * @param source where the value came from
     */
    public record Setting(Knob<?> knob, Object value, Source source) {}

    private final Map<String, Setting> settings;

    private Configuration(Map<String, Setting> settings) {
        this.settings = settings;
    }

    /**
     * Resolves knobs against this process's properties and environment.
     *
     * @param knobs all declarations
     * @param given values by name, which override all others
     * @return the configuration
     * @throws BmiException with {@link ErrorCode#EINVAL} for an unknown name or a value out of
     *     bounds
     */
    public static Configuration resolve(Collection<Knob<?>> knobs, Map<String, String> given) {
        return resolve(knobs, given, System::getProperty, System::getenv);
    }

    /**
     * As {@link #resolve(Collection, Map)}, with given functions instead of this process's
     * properties and environment, for tests.
     *
     * @param knobs all declarations
     * @param given values by name, which override all others
     * @param properties finds a system property, or null
     * @param environment finds an environment variable, or null
     * @return the configuration
     */
    public static Configuration resolve(
            Collection<Knob<?>> knobs,
            Map<String, String> given,
            Function<String, @Nullable String> properties,
            Function<String, @Nullable String> environment) {
        Map<String, Setting> settings = new LinkedHashMap<>();
        for (Knob<?> knob : knobs) {
            Setting before =
                    settings.put(knob.name(), setting(knob, given, properties, environment));
            if (before != null) {
                throw new BmiException(
                        ErrorCode.EINVAL, "The knob " + knob.name() + " is declared twice.");
            }
        }
        for (String name : given.keySet()) {
            if (!settings.containsKey(name)) {
                throw new BmiException(
                        ErrorCode.EINVAL,
                        "There is no knob \""
                                + name
                                + "\"; there are "
                                + String.join(", ", settings.keySet())
                                + ".");
            }
        }
        return new Configuration(settings);
    }

    private static Setting setting(
            Knob<?> knob,
            Map<String, String> given,
            Function<String, @Nullable String> properties,
            Function<String, @Nullable String> environment) {
        String text = given.get(knob.name());
        if (text != null) {
            return new Setting(knob, knob.parse(text, "the program"), Source.BUILDER);
        }
        text = properties.apply(knob.propertyName());
        if (text != null) {
            String origin = "the system property " + knob.propertyName();
            return new Setting(knob, knob.parse(text, origin), Source.PROPERTY);
        }
        text = environment.apply(knob.environmentName());
        if (text != null) {
            String origin = "the environment variable " + knob.environmentName();
            return new Setting(knob, knob.parse(text, origin), Source.ENVIRONMENT);
        }
        return new Setting(
                knob, knob.parse(knob.defaultText().get(), "its default"), Source.DEFAULT);
    }

    /**
     * A knob's value.
     *
     * @param knob a knob of this configuration
     * @param <T> the type of its value
     * @return the value
     * @throws BmiException with {@link ErrorCode#EINVAL} if the knob is not part of this
     *     configuration
     */
    public <T> T get(Knob<T> knob) {
        Setting setting = settings.get(knob.name());
        if (setting == null) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "The knob " + knob.name() + " is not part of this configuration.");
        }
        return knob.type().valueClass().cast(setting.value());
    }

    /**
     * Every knob with its value, in the order of declaration.
     *
     * @return a copy
     */
    public List<Setting> settings() {
        return new ArrayList<>(settings.values());
    }
}

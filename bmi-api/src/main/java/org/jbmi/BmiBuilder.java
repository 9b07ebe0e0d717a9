package org.jbmi;

import org.jbmi.core.BmiSettings;
import org.jbmi.core.CoreLauncher;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Describes a {@link Bmi} before it is opened. Not thread-safe. May be used again after {@link
 * #open}.
 */
public final class BmiBuilder {
    private final List<String> listenAddresses = new ArrayList<>();
    private final List<String> methods = new ArrayList<>();
    private final Map<String, String> knobs = new LinkedHashMap<>();
    private final Map<Class<?>, Object> attachments = new HashMap<>();
    private boolean automaticReferences;

    BmiBuilder() {}

    /**
     * Makes the instance a server on an address. May be called several times, also for the same
     * method.
     *
     * @param address for example {@code "zoid://"}; exactly one address; only {@link Bmi#lookup}
     *     takes a list
     * @return this
     */
    public BmiBuilder listen(String address) {
        listenAddresses.add(address);
        return this;
    }

    /**
     * Activates a method on opening rather than at the first lookup.
     *
     * @param name {@code "zoid"}, or the C library's spelling {@code "bmi_zoid"}
     * @return this
     */
    public BmiBuilder method(String name) {
        methods.add(name);
        return this;
    }

    /**
     * Sets whether each delivered unexpected message adds a reference to its sender.
     *
     * @param automatic default false
     * @return this
     */
    public BmiBuilder automaticReferences(boolean automatic) {
        this.automaticReferences = automatic;
        return this;
    }

    /**
     * Sets a knob. It overrides the system property and the environment variable.
     *
     * @param name the knob's name, for example {@code "zoid.runtimeDirectory"}
     * @param value its value as text
     * @return this
     */
    public BmiBuilder knob(String name, String value) {
        knobs.put(name, value);
        return this;
    }

    /**
     * Passes an object to the methods, for example the hub that connects loopback peers.
     *
     * @param type the type by which a method asks for it
     * @param value the object
     * @param <T> the type
     * @return this
     */
    public <T> BmiBuilder attach(Class<T> type, T value) {
        attachments.put(type, type.cast(value));
        return this;
    }

    /**
     * Opens the instance.
     *
     * @return an open instance, with one owner
     * @throws BmiException with {@link ErrorCode#ENOPROTOOPT} for an unknown method or scheme,
     *     {@link ErrorCode#EINVAL} for a bad knob or address, or what a method reports; nothing is
     *     left behind
     */
    public Bmi open() {
        return CoreLauncher.open(
                new BmiSettings(listenAddresses, methods, knobs, attachments, automaticReferences));
    }
}

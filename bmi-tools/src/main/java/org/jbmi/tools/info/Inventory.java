package org.jbmi.tools.info;

import org.jbmi.Bmi;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.Availability;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;
import org.jbmi.zbmi.attach.RuntimeDirectory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * The installed methods, every knob but those of the shipper with its value, and the host of zoid.
 *
 * @param methods in the order of their names
 * @param settings in the order of declaration, each knob once
 * @param zoid the host of the runtime directory at this moment
 */
record Inventory(List<MethodEntry> methods, List<Configuration.Setting> settings, ZoidState zoid) {
    /**
     * A method.
     *
     * @param name its scheme
     * @param availability whether this machine can use it, or why not
     * @param limits its sizes with these knobs
     */
    record MethodEntry(String name, Availability availability, MethodLimits limits) {}

    /**
     * Reads the inventory.
     *
     * @param more knobs that belong to no method and to no instance, such as the daemon's
     * @throws org.jbmi.BmiException if a knob has an invalid value
     */
    static Inventory take(List<Knob<?>> more) {
        Configuration configuration;
        try (Bmi bmi = Bmi.open()) {
            configuration = bmi.configuration();
        }
        List<MethodEntry> methods = new ArrayList<>();
        for (MethodProvider provider : ServiceLoader.load(MethodProvider.class)) {
            methods.add(
                    new MethodEntry(
                            provider.scheme(),
                            provider.availability(),
                            provider.limits(configuration)));
        }
        methods.sort(Comparator.comparing(MethodEntry::name));
        Map<String, Configuration.Setting> settings = new LinkedHashMap<>();
        configuration.settings().forEach(s -> settings.put(s.knob().name(), s));
        Configuration others = Configuration.resolve(more, Map.of());
        others.settings().forEach(s -> settings.putIfAbsent(s.knob().name(), s));
        ZoidState zoid = ZoidState.of(methods, others.get(RuntimeDirectory.KNOB));
        return new Inventory(methods, List.copyOf(settings.values()), zoid);
    }
}

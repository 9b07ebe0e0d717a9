package org.jbmi.rig.perf;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.config.Knob;
import org.jbmi.zbmi.daemon.DaemonKnobs;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** All knobs. */
public final class Knobs {
    private Knobs() {}

    static Set<String> names(Collection<? extends Knob<?>> knobs) {
        Set<String> names = new HashSet<>();
        knobs.forEach(knob -> names.add(knob.name()));
        return names;
    }

    /** The knobs of instances. */
    static Set<String> ofMethods() {
        Set<String> names = new HashSet<>();
        try (Bmi bmi = Bmi.open()) {
            bmi.configuration().settings().forEach(setting -> names.add(setting.knob().name()));
        }
        return names;
    }

    /** {@return the knobs of instances and of the daemon by their names} */
    public static Map<String, Knob<?>> all() {
        Map<String, Knob<?>> all = new HashMap<>();
        DaemonKnobs.all().forEach(knob -> all.put(knob.name(), knob));
        try (Bmi bmi = Bmi.open()) {
            bmi.configuration()
                    .settings()
                    .forEach(each -> all.put(each.knob().name(), each.knob()));
        }
        return all;
    }

    /**
     * {@return where zoid's engine runs: auto, direct, embedded or daemon, as {@link
     * PerfPlan#HOST_KNOB} says, or daemon if a channel is set}
     */
    public static String zoidHost(Map<String, String> given) {
        Map<String, String> all = new HashMap<>();
        try (Bmi bmi = Bmi.open()) {
            bmi.configuration()
                    .settings()
                    .forEach(each -> all.put(each.knob().name(), each.value().toString()));
        }
        all.putAll(given);
        return all.getOrDefault(PerfPlan.CHANNEL_KNOB, "").isBlank()
                ? all.getOrDefault(PerfPlan.HOST_KNOB, "")
                : PerfPlan.IN_DAEMON;
    }

    /**
     * The value of a knob that counts bytes.
     *
     * @param given the knobs of the command line
     * @return the largest number if there is no such knob
     */
    public static long bytes(String name, Map<String, String> given) {
        BmiBuilder builder = Bmi.builder();
        String value = given.get(name);
        if (value != null) {
            builder.knob(name, value);
        }
        try (Bmi bmi = builder.open()) {
            return bmi.configuration().settings().stream()
                    .filter(setting -> setting.knob().name().equals(name))
                    .mapToLong(setting -> (Long) setting.value())
                    .findFirst()
                    .orElse(Long.MAX_VALUE);
        }
    }

    static Map<String, String> only(Map<String, String> knobs, Set<String> known) {
        Map<String, String> some = new LinkedHashMap<>(knobs);
        some.keySet().retainAll(known);
        return some;
    }
}

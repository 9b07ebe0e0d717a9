package org.jbmi.rig.perf.table;

import org.jbmi.rig.perf.PerfPlan;

import java.util.LinkedHashMap;
import java.util.Map;

/** A transport that tables compare: a method with its settings. */
record Transport(String name, String target, Map<String, String> knobs) {
    static final Transport TCP = new Transport("tcp", "tcp", Map.of());
    static final Transport ZOID_DIRECT =
            new Transport("zoid direct", "zoid", Map.of(PerfPlan.HOST_KNOB, "direct"));
    static final Transport ZOID_DAEMON =
            new Transport("zoid daemon", "zoid", Map.of(PerfPlan.HOST_KNOB, "daemon"));

    /** Its knobs, with a further one if it uses zoid. */
    Map<String, String> withZoid(String knob, int value) {
        if (!target.equals("zoid")) {
            return knobs;
        }
        Map<String, String> all = new LinkedHashMap<>(knobs);
        all.put(knob, Integer.toString(value));
        return all;
    }
}

package org.jbmi.rig.perf.table;

import org.jbmi.rig.perf.PerfPlan;

import java.util.LinkedHashMap;
import java.util.Map;

/** The ways of carrying messages that tables compare. */
final class Ways {
    static final Way TCP = new Way("tcp", "tcp", Map.of());
    static final Way ZOID_DIRECT =
            new Way("zoid direct", "zoid", Map.of(PerfPlan.HOST_KNOB, "direct"));
    static final Way ZOID_DAEMON =
            new Way("zoid daemon", "zoid", Map.of(PerfPlan.HOST_KNOB, "daemon"));

    private Ways() {}

    /**
     * A way.
     *
     * @param name of it
     * @param target what is measured
     * @param knobs of all processes
     */
    record Way(String name, String target, Map<String, String> knobs) {
        /** Its knobs, with one more of zoid's if it is a way of zoid. */
        Map<String, String> withZoid(String knob, int value) {
            if (!target.equals("zoid")) {
                return knobs;
            }
            Map<String, String> all = new LinkedHashMap<>(knobs);
            all.put(knob, Integer.toString(value));
            return all;
        }
    }
}

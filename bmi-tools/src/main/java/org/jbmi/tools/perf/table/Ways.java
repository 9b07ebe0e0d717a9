package org.jbmi.tools.perf.table;

import org.jbmi.tools.perf.PerfPlan;

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
        boolean isZoid() {
            return target.equals("zoid");
        }

        /** Its knobs and one more. */
        Map<String, String> with(String knob, String value) {
            Map<String, String> all = new LinkedHashMap<>(knobs);
            all.put(knob, value);
            return all;
        }
    }
}

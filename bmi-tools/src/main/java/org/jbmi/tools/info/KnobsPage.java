package org.jbmi.tools.info;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.config.KnobType;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes the reference page of knobs, {@code docs/knobs.md}, from their declarations. */
final class KnobsPage {
    private static final String HEAD =
            """
            # Knobs

            A knob is a setting. The value comes from the first of these that has\
             one: the program (`BmiBuilder.knob`, `zbmi serve --knob`), the system property, the\
             environment variable, the default. An instance refuses a value out of its bounds with a\
             message. Numbers of bytes may end in `k`, `m` or `g` for powers of 1024. `bin/bmi info`\
             shows the values on your machine. The knobs `shipper.*` are on the [page of the\
             shipper](howto/shipper.md#limits).

            `bin/bmi info --reference` prints this page; a test compares it with the declarations.
            """;

    /** The text for a default that differs from machine to machine. */
    private static final Map<String, String> COMPUTED =
            Map.of(
                    "zoid.runtimeDirectory",
                    "`zbmi-USER` in `$XDG_RUNTIME_DIR` if that is an absolute path, else in the"
                            + " directory for temporary files");

    private static final Map<String, String> TITLES =
            Map.of(
                    "bmi", "Every instance",
                    "loopback", "The loopback method",
                    "zoid", "The zoid method: servers and clients",
                    "zbmi", "The zoid method: the host of the engine");

    private KnobsPage() {}

    static String of(Inventory inventory) {
        Map<String, StringBuilder> sections = new LinkedHashMap<>();
        for (Configuration.Setting setting : inventory.settings()) {
            Knob<?> knob = setting.knob();
            String part = knob.name().substring(0, knob.name().indexOf('.'));
            sections.computeIfAbsent(part, KnobsPage::section).append(entry(knob));
        }
        return HEAD + String.join("", sections.values());
    }

    private static StringBuilder section(String part) {
        return new StringBuilder("\n## " + TITLES.getOrDefault(part, part) + "\n");
    }

    private static String entry(Knob<?> knob) {
        return """

        ### %s

        %s

        * %s; default: %s
        * property `%s`, environment `%s`
        """
                .formatted(
                        knob.name(),
                        knob.help(),
                        values(knob),
                        defaultOf(knob),
                        knob.propertyName(),
                        knob.environmentName());
    }

    private static String defaultOf(Knob<?> knob) {
        return COMPUTED.getOrDefault(knob.name(), "`" + knob.defaultText().get() + "`");
    }

    private static String values(Knob<?> knob) {
        if (knob.type().equals(KnobType.NUMBER)) {
            String unit = knob.unit().isEmpty() ? "" : " " + knob.unit();
            return "a number from " + knob.min() + " to " + knob.max() + unit;
        }
        if (knob.type().equals(KnobType.CHOICE)) {
            List<String> words = knob.choices().stream().map(word -> "`" + word + "`").toList();
            return "one of " + String.join(", ", words);
        }
        if (knob.type().equals(KnobType.PATH)) {
            return "a path, which is not empty";
        }
        return knob.type().equals(KnobType.FLAG) ? "`true` or `false`" : "a text";
    }
}

package org.jbmi.tools.info;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.tools.text.TextTable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The inventory as text. */
final class InventoryText {
    private static final String INDENT = "    ";

    private InventoryText() {}

    static List<String> of(Inventory inventory) {
        List<String> lines = new ArrayList<>();
        lines.add("Methods (sizes in bytes)");
        lines.addAll(indented(methods(inventory)));
        lines.add("");
        lines.add("Who serves zoid:// now");
        lines.add("  " + inventory.zoid().directory() + ": " + inventory.zoid().words());
        lines.add("");
        lines.add("Knobs (set by the program, -D<property> or the environment variable)");
        for (Configuration.Setting setting : inventory.settings()) {
            lines.addAll(knob(setting));
        }
        return lines;
    }

    private static List<String> methods(Inventory inventory) {
        TextTable table =
                new TextTable(
                        "lrrrrl",
                        "name",
                        "max expected",
                        "max unexpected",
                        "eager",
                        "max list",
                        "available");
        for (Inventory.MethodEntry method : inventory.methods()) {
            String reason = method.availability().reason();
            table.row(
                    method.name(),
                    Long.toString(method.limits().maxExpectedBytes()),
                    Long.toString(method.limits().maxUnexpectedBytes()),
                    Long.toString(method.limits().eagerBytes()),
                    Integer.toString(method.limits().maxListCount()),
                    reason == null ? "yes" : "no: " + reason);
        }
        return table.lines();
    }

    private static List<String> knob(Configuration.Setting setting) {
        Knob<?> knob = setting.knob();
        String unit = knob.unit().isEmpty() ? "" : " " + knob.unit();
        String source = setting.source().name().toLowerCase(Locale.ROOT);
        return List.of(
                "",
                "  %s = %s%s  (%s)".formatted(knob.name(), setting.value(), unit, source),
                INDENT + knob.help(),
                INDENT + knob.propertyName() + "  " + knob.environmentName());
    }

    private static List<String> indented(List<String> lines) {
        return lines.stream().map(line -> "  " + line).toList();
    }
}

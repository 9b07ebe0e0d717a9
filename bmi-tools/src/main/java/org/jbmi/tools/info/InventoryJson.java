package org.jbmi.tools.info;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.config.KnobType;
import org.jbmi.spi.MethodLimits;
import org.jbmi.tools.text.JsonWriter;

import java.util.Locale;

/** The inventory as one JSON object. */
final class InventoryJson {
    private InventoryJson() {}

    static String of(Inventory inventory) {
        JsonWriter json = new JsonWriter().beginObject();
        json.name("methods").beginArray();
        inventory.methods().forEach(method -> write(json, method));
        json.end();
        write(json, inventory.zoid());
        json.name("knobs").beginArray();
        inventory.settings().forEach(setting -> write(json, setting));
        json.end();
        return json.end().toString();
    }

    private static void write(JsonWriter json, Inventory.MethodEntry method) {
        MethodLimits limits = method.limits();
        json.beginObject();
        json.name("name").value(method.name());
        json.name("available").value(method.availability().isAvailable());
        json.name("reason").value(method.availability().reason());
        json.name("maxExpectedBytes").value(limits.maxExpectedBytes());
        json.name("maxUnexpectedBytes").value(limits.maxUnexpectedBytes());
        json.name("eagerBytes").value(limits.eagerBytes());
        json.name("maxListCount").value(limits.maxListCount());
        json.end();
    }

    private static void write(JsonWriter json, ZoidState zoid) {
        json.name("zoid").beginObject();
        json.name("runtimeDirectory").value(zoid.directory());
        json.name("host").value(zoid.host());
        json.name("hostPid").value(zoid.hostPid());
        json.name("serverPid").value(zoid.serverPid());
        json.name("sentence").value(zoid.words());
        json.end();
    }

    private static void write(JsonWriter json, Configuration.Setting setting) {
        Knob<?> knob = setting.knob();
        json.beginObject();
        json.name("name").value(knob.name());
        json.name("type").value(knob.type().label());
        json.name("unit").value(knob.unit());
        json.name("value");
        switch (setting.value()) {
            case Long number -> json.value(number.longValue());
            case Boolean flag -> json.value(flag.booleanValue());
            default -> json.value(setting.value().toString());
        }
        json.name("source").value(setting.source().name().toLowerCase(Locale.ROOT));
        json.name("default").value(knob.defaultText().get());
        if (knob.type().equals(KnobType.NUMBER)) {
            json.name("min").value(knob.min());
            json.name("max").value(knob.max());
        }
        json.name("property").value(knob.propertyName());
        json.name("environment").value(knob.environmentName());
        json.name("help").value(knob.help());
        json.end();
    }
}

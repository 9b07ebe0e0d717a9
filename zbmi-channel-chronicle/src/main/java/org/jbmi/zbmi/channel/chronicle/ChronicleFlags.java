package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.queue.ChronicleQueue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the virtual machine must be started with, so that Chronicle Queue works. */
final class ChronicleFlags {
    /** Let it not print about itself, nor keep threads for the whole process. */
    private static final Map<String, String> QUIET =
            Map.of(
                    "chronicle.announcer.disable",
                    "true",
                    "chronicle.disk.monitor.disable",
                    "true",
                    "background.releaser",
                    "false");

    private ChronicleFlags() {}

    /** Empty if all is there, else which flags are missing. */
    static Optional<String> missing() {
        Module base = Object.class.getModule();
        Module chronicle = ChronicleQueue.class.getModule();
        List<String> flags = new ArrayList<>();
        if (!base.isExported("sun.nio.ch", chronicle)) {
            flags.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        }
        if (!base.isOpen("java.lang.reflect", chronicle)) {
            flags.add("--add-opens=java.base/java.lang.reflect=ALL-UNNAMED");
        }
        return flags.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "Chronicle Queue needs a virtual machine started with "
                                + String.join(" ", flags));
    }

    /** Keeps the library from what nobody asked for. Before its first use. */
    static void beQuiet() {
        QUIET.forEach(
                (name, value) -> {
                    if (System.getProperty(name) == null) {
                        System.setProperty(name, value);
                    }
                });
    }
}

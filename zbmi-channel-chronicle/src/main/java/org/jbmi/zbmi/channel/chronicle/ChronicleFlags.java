package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.queue.ChronicleQueue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the virtual machine must be started with, so that Chronicle Queue works. */
final class ChronicleFlags {
    private static final String NO_NOTICE = "chronicle.announcer.disable";

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

    /** Keeps the library from printing about itself. Before its first use. */
    static void beQuiet() {
        if (System.getProperty(NO_NOTICE) == null) {
            System.setProperty(NO_NOTICE, "true");
        }
    }
}

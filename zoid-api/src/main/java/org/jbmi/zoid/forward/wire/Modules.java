package org.jbmi.zoid.forward.wire;

import org.jbmi.shipper.codec.Shipped;

import java.util.List;

/** The messages by which an administrator lists and changes the plug-ins of a running server. */
public final class Modules {
    private Modules() {}

    /**
     * Asks for a change, or only for the list.
     *
     * @param unload the plug-in to unload, which comes first; empty for none
     * @param load the plug-in to load; empty for none
     * @param file where its classes are; empty for the server's class path
     * @param settings for it, each {@code NAME=VALUE}
     */
    @Shipped
    public record Wish(String unload, String load, String file, List<String> settings) {}

    /**
     * A plug-in.
     *
     * @param number its number
     * @param name its name
     * @param functions how many functions it has
     * @param file where its classes came from; empty for the server's class path
     */
    @Shipped
    public record Loaded(int number, String name, int functions, String file) {}

    /**
     * The plug-ins after the change.
     *
     * @param loaded the plug-ins, in the order in which they were loaded
     * @param trouble what went wrong; empty if nothing did
     */
    @Shipped
    public record Answer(List<Loaded> loaded, String trouble) {}
}

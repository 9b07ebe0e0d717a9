package org.jbmi.zoid.forward;

import org.jbmi.zoid.forward.stub.PluginDispatcher;

import java.util.Set;

/**
 * How a server finds a plug-in: a class that implements this is named in {@code
 * META-INF/services/org.jbmi.zoid.forward.PluginProvider}, or provided by a module.
 */
public interface PluginProvider {
    /**
     * The name by which the plug-in is chosen in {@code ZOID_MODULES}.
     *
     * @return the name of its {@link ZoidPlugin}
     */
    String name();

    /**
     * The settings that the plug-in asks for ({@link PluginServices#setting}). A server that is
     * given one which no plug-in has does not start.
     *
     * @return their names, for example {@code unix.root}
     */
    default Set<String> settings() {
        return Set.of();
    }

    /**
     * Makes the plug-in, once for each server.
     *
     * @param services what it may ask of the server; to be kept
     * @return the generated dispatcher around a new implementation
     */
    PluginDispatcher open(PluginServices services);
}

package org.jbmi.zoid.forward;

import org.jbmi.zoid.forward.stub.PluginDispatcher;

import java.util.Set;

/**
 * The entry point of a plug-in. A class that implements it is named in {@code
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
     * The settings of the plug-in ({@link PluginServices#setting}). A server does not start with a
     * setting that no plug-in has.
     *
     * @return their names, for example {@code unix.root}
     */
    default Set<String> settings() {
        return Set.of();
    }

    /**
     * Makes the plug-in. The server calls this each time it loads the plug-in.
     *
     * @param services the services of the server; keep the object
     * @return the generated dispatcher around a new implementation
     */
    PluginDispatcher open(PluginServices services);
}

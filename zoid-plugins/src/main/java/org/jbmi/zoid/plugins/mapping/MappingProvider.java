package org.jbmi.zoid.plugins.mapping;

import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.stub.PluginDispatcher;

import java.util.Set;

/** Brings the plug-in {@code mapping}. */
public final class MappingProvider implements PluginProvider {
    /** For the service loader. */
    public MappingProvider() {}

    @Override
    public String name() {
        return "mapping";
    }

    @Override
    public Set<String> settings() {
        return Set.of("mapping.sizes");
    }

    @Override
    public PluginDispatcher open(PluginServices services) {
        return new MappingDispatcher(new TorusMapping(services));
    }
}

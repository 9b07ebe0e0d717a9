package org.jbmi.zoid.plugins.unix;

import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.stub.PluginDispatcher;

import java.util.Set;

/** Brings the plug-in {@code unix}. */
public final class UnixProvider implements PluginProvider {
    /** For the service loader. */
    public UnixProvider() {}

    @Override
    public String name() {
        return "unix";
    }

    @Override
    public Set<String> settings() {
        return Set.of("unix.root");
    }

    @Override
    public PluginDispatcher open(PluginServices services) {
        return new UnixDispatcher(new UnixFiles(services));
    }
}

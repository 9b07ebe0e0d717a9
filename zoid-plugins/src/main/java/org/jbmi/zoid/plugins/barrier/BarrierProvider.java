package org.jbmi.zoid.plugins.barrier;

import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.stub.PluginDispatcher;

/** Brings the plug-in {@code barrier}. */
public final class BarrierProvider implements PluginProvider {
    /** For the service loader. */
    public BarrierProvider() {}

    @Override
    public String name() {
        return "barrier";
    }

    @Override
    public PluginDispatcher open(PluginServices services) {
        return new BarrierDispatcher(new JobBarrier(services));
    }
}

package org.jbmi.zoid.plugins.test;

import org.jbmi.zoid.forward.PluginProvider;
import org.jbmi.zoid.forward.PluginServices;
import org.jbmi.zoid.forward.stub.PluginDispatcher;

/** Brings the plug-in {@code test}. */
public final class TestProvider implements PluginProvider {
    /** For the service loader. */
    public TestProvider() {}

    @Override
    public String name() {
        return "test";
    }

    @Override
    public PluginDispatcher open(PluginServices services) {
        return new TestDispatcher(new TestFunctions(services));
    }
}

package org.jbmi.conformance;

import org.jbmi.testsuite.EnvironmentSettings;

/** A directory in which a server hosts its engine itself. */
final class EmbeddedEnvironment extends ZoidEnvironment {
    EmbeddedEnvironment(EnvironmentSettings settings) {
        super(settings);
        knobs.put("zoid.host", "embedded");
        knobs.putAll(hostKnobs);
    }

    @Override
    public void close() {
        reportFiles();
        delete();
    }
}

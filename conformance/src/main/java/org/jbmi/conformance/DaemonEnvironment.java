package org.jbmi.conformance;

import org.jbmi.testsuite.Broker;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.EnvironmentSettings.BrokerPlace;
import org.jbmi.testsuite.Expect;

import java.util.Map;

/** A daemon in a directory of its own. */
final class DaemonEnvironment extends ZoidEnvironment {
    /** Stands in the value of a knob for the directory of the environment. */
    static final String DIRECTORY = "{directory}";

    /** Stands in the value of a knob for a free port, the same one everywhere. */
    static final String PORT = "{port}";

    private final Broker broker;

    DaemonEnvironment(
            EnvironmentSettings settings,
            Map<String, String> instanceKnobs,
            Map<String, String> daemonKnobs) {
        super(settings);
        String port = Integer.toString(new FreePorts(Map.of()).port(0));
        hostKnobs.put("zoid.runtimeDirectory", directory().resolve("run").toString());
        fillIn(instanceKnobs, port, knobs);
        fillIn(daemonKnobs, port, hostKnobs);
        broker =
                settings.brokerPlace() == BrokerPlace.ANYWHERE
                        ? new LocalDaemon(hostKnobs)
                        : new DaemonProcess(hostKnobs);
        if (settings.brokerPlace() != BrokerPlace.NOT_STARTED) {
            try {
                broker.start();
            } catch (RuntimeException | AssertionError e) {
                delete();
                throw e;
            }
        }
    }

    private void fillIn(Map<String, String> values, String port, Map<String, String> into) {
        values.forEach(
                (name, value) ->
                        into.putIfAbsent(
                                name,
                                value.replace(DIRECTORY, directory().toString())
                                        .replace(PORT, port)));
    }

    @Override
    public Broker broker() {
        return broker;
    }

    @Override
    public void close() {
        try {
            if (broker.isRunning()) {
                Expect.eventually(
                        () -> broker.counter("zbmi.sessions.attached") == 0, "all sessions end");
                long faults = broker.counter("zbmi.faults");
                if (faults > 0) {
                    addLeftover("faults: " + faults);
                }
                broker.stop();
                reportFiles();
            }
        } finally {
            try {
                broker.stop();
            } finally {
                delete();
            }
        }
    }
}

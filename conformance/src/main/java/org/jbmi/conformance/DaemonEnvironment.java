package org.jbmi.conformance;

import org.jbmi.testsuite.Broker;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.EnvironmentSettings.BrokerPlace;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.support.FreePort;

import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** A daemon in a directory of its own. */
final class DaemonEnvironment extends ZoidEnvironment {
    /** Stands in the value of a knob for the directory of the environment. */
    static final String DIRECTORY = "{directory}";

    /** Stands in the value of a knob for a free port, the same one everywhere. */
    static final String PORT = "{port}";

    private static final long HELD_PATIENCE_NS = 4_000_000_000L;
    private static final long PAUSE_NS = 5_000_000;

    private final Broker broker;

    DaemonEnvironment(
            EnvironmentSettings settings,
            Map<String, String> instanceKnobs,
            Map<String, String> daemonKnobs) {
        super(settings);
        String port = Integer.toString(FreePort.find());
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
                reportHeld();
                long faults = broker.counter("zbmi.faults");
                if (faults > 0) {
                    addLeftover("faults: " + faults);
                }
            }
            broker.stop();
            boolean wasKilled = broker instanceof DaemonProcess process && process.wasKilled();
            if (!wasKilled) { // the next daemon removes the files of one that was killed
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

    // The case may have waited in vain already, and its watchdog leaves little time for a second
    // wait.
    private void reportHeld() {
        long endNs = System.nanoTime() + HELD_PATIENCE_NS;
        List<String> held = heldForNobody();
        while (!held.isEmpty() && System.nanoTime() - endNs < 0) {
            LockSupport.parkNanos(PAUSE_NS);
            held = heldForNobody();
        }
        held.forEach(this::addLeftover);
    }
}

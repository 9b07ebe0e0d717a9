package org.jbmi.zbmi.daemon;

import org.jbmi.config.Knob;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.gateway.GatewayKnobs;
import org.jbmi.zbmi.host.place.HostKnobs;

import java.util.ArrayList;
import java.util.List;

/** The knobs of a daemon: its directory, its host, and its gateway. */
public final class DaemonKnobs {
    private DaemonKnobs() {}

    /**
     * All of them.
     *
     * @return an immutable list
     */
    public static List<Knob<?>> all() {
        List<Knob<?>> all = new ArrayList<>();
        all.add(RuntimeDirectory.KNOB);
        all.addAll(HostKnobs.all());
        all.addAll(GatewayKnobs.all());
        return List.copyOf(all);
    }
}

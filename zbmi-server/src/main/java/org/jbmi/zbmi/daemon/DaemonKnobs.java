package org.jbmi.zbmi.daemon;

import org.jbmi.config.Knob;
import org.jbmi.zbmi.daemon.gateway.GatewayKnobs;
import org.jbmi.zbmi.host.HostKnobs;
import org.jbmi.zbmi.link.RuntimeDirectory;

import java.util.ArrayList;
import java.util.List;

/**
 * What can be turned at a daemon: where it is met, all that can be turned at a host, and at the
 * gateway.
 */
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

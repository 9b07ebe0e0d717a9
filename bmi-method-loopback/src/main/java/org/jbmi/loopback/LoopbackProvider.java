package org.jbmi.loopback;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;

import java.util.List;

/**
 * The loopback method: messages between instances of one process, and of an instance with itself.
 * It has no thread and uses no network. The second of two matching posts copies an expected message
 * straight from the sender's buffer to the receiver's. The post of an unexpected message copies it
 * into memory of the receiver's instance.
 */
public final class LoopbackProvider implements MethodProvider {
    /** For the service loader. */
    public LoopbackProvider() {}

    @Override
    public String scheme() {
        return "loopback";
    }

    @Override
    public Availability availability() {
        return Availability.AVAILABLE;
    }

    @Override
    public List<Knob<?>> knobs() {
        return LoopbackKnobs.all();
    }

    @Override
    public MethodLimits limits(Configuration configuration) {
        return LoopbackKnobs.limits(configuration);
    }

    @Override
    public Method open(MethodHost host, List<String> listenAddresses) {
        LoopbackHub hub = host.attachment(LoopbackHub.class);
        return LoopbackMethod.open(host, hub != null ? hub : new LoopbackHub(), listenAddresses);
    }
}

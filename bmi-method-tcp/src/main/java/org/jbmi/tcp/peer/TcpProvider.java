package org.jbmi.tcp.peer;

import org.jbmi.Option;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.tcp.settings.TcpKnobs;

import java.util.List;

/**
 * The tcp method: messages between hosts, in either wire format of the C library, so that C
 * programs can be peers. It keeps no thread for I/O: threads that post and test read and write the
 * sockets. In a burst of small sends a virtual thread writes what these threads leave; it ends
 * after the burst.
 */
public final class TcpProvider implements MethodProvider {
    /** For the service loader. */
    public TcpProvider() {}

    @Override
    public String scheme() {
        return "tcp";
    }

    @Override
    public Availability availability() {
        return Availability.AVAILABLE;
    }

    @Override
    public List<Knob<?>> knobs() {
        return TcpKnobs.all();
    }

    @Override
    public List<Option<?>> options() {
        return TcpOptions.all();
    }

    @Override
    public MethodLimits limits(Configuration configuration) {
        return TcpKnobs.limits(configuration);
    }

    @Override
    public Method open(MethodHost host, List<String> listenAddresses) {
        return TcpMethod.open(host, listenAddresses);
    }
}

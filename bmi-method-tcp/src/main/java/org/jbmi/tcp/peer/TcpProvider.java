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
 * The tcp method: messages between hosts. On the wire it is what the C library speaks, in either of
 * its dialects, so that a C program is a peer like any other. It owns no thread: sockets are read
 * and written by the threads that post and test.
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

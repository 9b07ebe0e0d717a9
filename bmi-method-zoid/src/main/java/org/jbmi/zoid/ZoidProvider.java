package org.jbmi.zoid;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.channel.CommandChannels;
import org.jbmi.zbmi.link.ClientLinkProvider;
import org.jbmi.zbmi.link.PeerAttachment;
import org.jbmi.zbmi.link.RuntimeDirectory;
import org.jbmi.zbmi.protocol.PeerRole;
import org.jbmi.zoid.client.ZoidClient;
import org.jbmi.zoid.common.Attacher;
import org.jbmi.zoid.common.Limits;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.common.ZoidAddress;
import org.jbmi.zoid.server.ZoidServer;

import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Makes the zoid method known: scheme {@code zoid}, and the one address {@code zoid://}. */
public final class ZoidProvider implements MethodProvider {
    /** For {@link ServiceLoader}. */
    public ZoidProvider() {}

    @Override
    public String scheme() {
        return "zoid";
    }

    @Override
    public Availability availability() {
        return NativeAccess.unavailabilityReason()
                .map(Availability::unavailable)
                .orElse(Availability.AVAILABLE);
    }

    @Override
    public List<Knob<?>> knobs() {
        return ZoidKnobs.all();
    }

    @Override
    public MethodLimits limits(Configuration configuration) {
        return Limits.of(configuration);
    }

    @Override
    public Method open(MethodHost host, List<String> listenAddresses) {
        Availability verdict = availability();
        if (verdict.reason() != null) {
            throw new BmiException(
                    ErrorCode.ENOSYS, "zoid is not available: " + verdict.reason() + ".");
        }
        for (String address : listenAddresses) {
            if (!address.equals(ZoidAddress.SERVER)) {
                throw new BmiException(
                        ErrorCode.ENOPROTOOPT,
                        "\"" + address + "\" is no zoid address; the only one is \"zoid://\".");
            }
        }
        Seams seams = Seams.production();
        return listenAddresses.isEmpty() ? client(host, seams) : server(host, seams);
    }

    private static Method client(MethodHost host, Seams seams) {
        ClientLinkProvider provider =
                find(
                        ClientLinkProvider.class,
                        ClientLinkProvider::name,
                        host.configuration().get(ZoidKnobs.CLIENT_LINK));
        Attacher attacher = attacher(host, PeerRole.CLIENT, provider.name(), seams);
        return new ZoidClient(host, attacher, provider, seams);
    }

    private static Method server(MethodHost host, Seams seams) {
        CommandChannelProvider provider =
                CommandChannels.require(host.configuration().get(ZoidKnobs.COMMAND_CHANNEL));
        Attacher attacher = attacher(host, PeerRole.SERVER, provider.name(), seams);
        long waitMs = host.configuration().get(ZoidKnobs.ATTACH_TIMEOUT_MS);
        PeerAttachment attachment =
                attacher.attach(TimeUnit.MILLISECONDS.toNanos(waitMs), () -> false);
        boolean open = false;
        try {
            Method server = new ZoidServer(host, attachment, provider, seams);
            open = true;
            return server;
        } finally {
            if (!open) {
                attachment.close();
            }
        }
    }

    private static Attacher attacher(
            MethodHost host, PeerRole role, String transport, Seams seams) {
        String path = host.configuration().get(RuntimeDirectory.KNOB);
        return new Attacher(new RuntimeDirectory(Path.of(path)), role, transport, seams);
    }

    private static <P> P find(Class<P> type, Function<P, String> nameOf, String name) {
        for (P provider : ServiceLoader.load(type, type.getClassLoader())) {
            if (nameOf.apply(provider).equals(name)) {
                return provider;
            }
        }
        throw new BmiException(
                ErrorCode.ENOSYS, "There is no " + type.getSimpleName() + " " + name);
    }
}

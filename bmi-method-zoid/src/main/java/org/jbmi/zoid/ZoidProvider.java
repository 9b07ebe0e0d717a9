package org.jbmi.zoid;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.observe.Counter;
import org.jbmi.spi.Availability;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.MethodProvider;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.channel.CommandChannels;
import org.jbmi.zbmi.channel.EngineHostProvider;
import org.jbmi.zbmi.channel.ServerAttachment;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.socket.LinkAddress;
import org.jbmi.zbmi.socket.LinkSettings;
import org.jbmi.zbmi.socket.SocketClientLinks;
import org.jbmi.zoid.client.ZoidClient;
import org.jbmi.zoid.common.Attacher;
import org.jbmi.zoid.common.Limits;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.common.ZoidAddress;
import org.jbmi.zoid.server.RemoteAttachment;
import org.jbmi.zoid.server.ZoidServer;

import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;

/** Provides the zoid method: scheme {@code zoid}, with the one address {@code zoid://}. */
public final class ZoidProvider implements MethodProvider {
    private static final String RING = "ring";
    private static final int COPIES_ID = 3201;
    private static final int FUTEX_CALLS_ID = 3200;

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
    public List<Option<?>> options() {
        return ZoidOptions.all();
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
        listenAddresses.forEach(ZoidAddress::check);
        Counter calls = host.counters().register(FUTEX_CALLS_ID, "zoid.futexCalls", "calls");
        Seams seams = Seams.production(calls);
        return listenAddresses.isEmpty() ? client(host, seams) : server(host, seams, calls);
    }

    private static Method client(MethodHost host, Seams seams) {
        Configuration knobs = host.configuration();
        String link = knobs.get(ZoidKnobs.CLIENT_LINK);
        String gateway = gateway(knobs, link);
        Attacher attacher = new Attacher(directory(knobs), PeerRole.CLIENT, link, gateway, seams);
        return new ZoidClient(
                host,
                (waitNs, isOver, events) ->
                        attacher.attach(
                                waitNs,
                                isOver,
                                request ->
                                        gateway.isEmpty()
                                                ? ShmClientLink.connect(request, events)
                                                : SocketClientLinks.connect(
                                                        request,
                                                        gateway,
                                                        events,
                                                        LinkSettings.production())),
                seams);
    }

    // Empty for a link that needs no gateway.
    private static String gateway(Configuration knobs, String link) {
        if (!link.equals(SocketClientLinks.NAME)) {
            return "";
        }
        String address = knobs.get(ZoidKnobs.SERVER_ADDRESS);
        if (address.isBlank()) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "The link \"%s\" needs the address of a gateway: set %s."
                            .formatted(link, ZoidKnobs.SERVER_ADDRESS.name()));
        }
        LinkAddress.checkSyntax(address);
        return address;
    }

    private static Method server(MethodHost host, Seams seams, Counter calls) {
        Counter copies =
                host.counters().register(COPIES_ID, "zoid.server.engineCopies", "messages");
        ServerAttachment attachment = engine(host.configuration(), seams);
        boolean open = false;
        try {
            attachment.countIn(copies, calls);
            Method server = new ZoidServer(host, attachment, seams);
            open = true;
            return server;
        } finally {
            if (!open) {
                attachment.close();
            }
        }
    }

    private static ServerAttachment engine(Configuration knobs, Seams seams) {
        long waitNs = TimeUnit.MILLISECONDS.toNanos(knobs.get(ZoidKnobs.ATTACH_TIMEOUT_MS));
        String host = knobs.get(ZoidKnobs.HOST);
        if (isChannelAskedFor(knobs)) {
            CommandChannels.require(knobs.get(ZoidKnobs.COMMAND_CHANNEL));
            if (!host.equals(ZoidKnobs.AUTO) && !host.equals(ZoidKnobs.DAEMON)) {
                throw new BmiException(
                        ErrorCode.EINVAL,
                        "With %s=%s the server hosts the engine and has no command channel:"
                                .concat(" leave %s unset, or set %s=%s.")
                                .formatted(
                                        ZoidKnobs.HOST.name(),
                                        host,
                                        ZoidKnobs.COMMAND_CHANNEL.name(),
                                        ZoidKnobs.HOST.name(),
                                        ZoidKnobs.DAEMON));
            }
            return inDaemon(knobs, waitNs, seams);
        }
        return switch (host) {
            case ZoidKnobs.EMBEDDED -> engineHost().embedded(directory(knobs), knobs);
            case ZoidKnobs.DAEMON -> inDaemon(knobs, waitNs, seams);
            case ZoidKnobs.DIRECT -> {
                EngineHostProvider here = engineHost();
                yield lent(
                        here,
                        knobs,
                        inEngine(knobs, seams)
                                .attach(waitNs, () -> false, PeerAttachment::connect));
            }
            default -> whicheverIsThere(knobs, waitNs, seams);
        };
    }

    private static ServerAttachment whicheverIsThere(
            Configuration knobs, long answerNs, Seams seams) {
        EngineHostProvider here = engineHost();
        try {
            Attacher attacher = inEngine(knobs, seams);
            return lent(here, knobs, attacher.attachIfThere(answerNs, PeerAttachment::connect));
        } catch (BmiException e) {
            if (e.code() != ErrorCode.ENETDOWN) {
                throw e;
            }
            return here.embedded(directory(knobs), knobs);
        }
    }

    private static Attacher inEngine(Configuration knobs, Seams seams) {
        return attacher(knobs, HostKind.DIRECT.label(), seams);
    }

    private static EngineHostProvider engineHost() {
        return ZoidKnobs.engineHost()
                .orElseThrow(
                        () ->
                                new BmiException(
                                        ErrorCode.ENOSYS,
                                        "This server cannot host an engine: add zbmi-host to its"
                                                + " path, or set %s=%s."
                                                        .formatted(
                                                                ZoidKnobs.HOST.name(),
                                                                ZoidKnobs.DAEMON)));
    }

    private static ServerAttachment lent(
            EngineHostProvider here, Configuration knobs, PeerAttachment attachment) {
        return here.lent(directory(knobs), knobs, attachment);
    }

    private static boolean isChannelAskedFor(Configuration knobs) {
        return !knobs.get(ZoidKnobs.COMMAND_CHANNEL).isBlank();
    }

    private static ServerAttachment inDaemon(Configuration knobs, long waitNs, Seams seams) {
        String name = isChannelAskedFor(knobs) ? knobs.get(ZoidKnobs.COMMAND_CHANNEL) : RING;
        CommandChannelProvider provider = CommandChannels.require(name);
        Attacher attacher = attacher(knobs, provider.name(), seams);
        PeerAttachment session = attacher.attach(waitNs, () -> false, PeerAttachment::connect);
        ServerAttachment remote = null;
        try {
            remote = new RemoteAttachment(session, provider);
            return remote;
        } finally {
            if (remote == null) {
                session.close();
            }
        }
    }

    private static RuntimeDirectory directory(Configuration knobs) {
        return new RuntimeDirectory(Path.of(knobs.get(RuntimeDirectory.KNOB)));
    }

    private static Attacher attacher(Configuration knobs, String transport, Seams seams) {
        return new Attacher(directory(knobs), PeerRole.SERVER, transport, "", seams);
    }
}

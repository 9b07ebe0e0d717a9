package org.jbmi.zbmi.daemon;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.engine.EngineOutbox;
import org.jbmi.zbmi.link.ClientLinkProvider;
import org.jbmi.zbmi.link.Doorbell;
import org.jbmi.zbmi.link.EngineSegment;
import org.jbmi.zbmi.link.RuntimeDirectory;
import org.jbmi.zbmi.link.SegmentPayload;

import java.io.IOException;
import java.util.ServiceLoader;
import java.util.function.Function;

/**
 * An engine with everything around it, put together but not running.
 *
 * @param sessions body of the sessions thread
 * @param loop body of the engine's thread
 */
record EngineHosting(Sessions sessions, EngineLoop loop) {

    static EngineHosting open(
            DaemonLayout layout,
            SharedSegment segment,
            Counters counters,
            DaemonContext context,
            RuntimeDirectory directory)
            throws IOException {
        EngineSegment view = new EngineSegment(segment.memory(), layout.map(), context.waiting());
        int maxClients = layout.geometry().maxClients();
        DaemonCounters daemonCounters = new DaemonCounters(counters, maxClients);
        SessionTable table =
                new SessionTable(
                        view,
                        new FoundTransports(),
                        template(layout, segment, context),
                        daemonCounters,
                        context);
        Engine engine =
                new Engine(
                        layout.limits(),
                        new EngineOutbox(table),
                        new SegmentPayload(view),
                        daemonCounters);
        Doorbell doorbell = new Doorbell(view);
        ControlRing control = new ControlRing(doorbell::wake);
        Sessions sessions = new Sessions(directory.socket(), context, maxClients, control);
        EngineLoop loop =
                new EngineLoop(
                        engine,
                        table,
                        doorbell,
                        control,
                        daemonCounters,
                        context,
                        layout.spinNs(),
                        sessions::stop);
        table.use(engine, sessions);
        return new EngineHosting(sessions, loop);
    }

    private static WelcomeTemplate template(
            DaemonLayout layout, SharedSegment segment, DaemonContext context) {
        long pid = ProcessHandle.current().pid();
        return new WelcomeTemplate(
                pid,
                context.liveness().startTimeMs(pid),
                segment.file().toAbsolutePath().toString(),
                segment.generation(),
                layout.geometry(),
                layout.sessionLimits(layout.limits().maxClientOperations()),
                layout.sessionLimits(layout.limits().maxServerOperations()));
    }

    private static final class FoundTransports implements SessionTable.Transports {
        @Override
        public ClientLinkProvider link(String name) {
            return find(ClientLinkProvider.class, ClientLinkProvider::name, name);
        }

        @Override
        public CommandChannelProvider channel(String name) {
            return find(CommandChannelProvider.class, CommandChannelProvider::name, name);
        }

        private static <P> P find(Class<P> type, Function<P, String> nameOf, String name) {
            for (P provider : ServiceLoader.load(type, type.getClassLoader())) {
                if (nameOf.apply(provider).equals(name)) {
                    return provider;
                }
            }
            throw new BmiException(
                    ErrorCode.EPROTONOSUPPORT, "This daemon has no transport \"" + name + "\".");
        }
    }
}

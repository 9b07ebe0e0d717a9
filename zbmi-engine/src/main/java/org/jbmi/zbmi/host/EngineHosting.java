package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.channel.CommandChannels;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.journal.EngineRecording;
import org.jbmi.zbmi.link.ClientLinkProvider;
import org.jbmi.zbmi.link.Doorbell;
import org.jbmi.zbmi.link.EngineSegment;
import org.jbmi.zbmi.link.RuntimeDirectory;
import org.jbmi.zbmi.link.SegmentPayload;

import java.io.IOException;
import java.util.ServiceLoader;

/**
 * An engine with everything around it, put together but not running.
 *
 * @param sessions body of the sessions thread
 * @param loop body of the engine's thread
 */
public record EngineHosting(Sessions sessions, EngineLoop loop) {

    /**
     * Puts one together.
     *
     * @param layout its sizes
     * @param segment its memory
     * @param counters where it counts
     * @param context what its parts share
     * @param directory where it listens
     * @return not yet running
     * @throws IOException if it cannot listen
     */
    public static EngineHosting open(
            HostLayout layout,
            SharedSegment segment,
            Counters counters,
            HostContext context,
            RuntimeDirectory directory)
            throws IOException {
        EngineSegment view = new EngineSegment(segment.memory(), layout.map(), context.waiting());
        int maxClients = layout.geometry().maxClients();
        HostCounters hostCounters = new HostCounters(counters, maxClients);
        SessionTable table =
                new SessionTable(
                        view,
                        new FoundTransports(layout.commandChannel()),
                        template(layout, segment, context),
                        hostCounters,
                        context);
        Doorbell doorbell = new Doorbell(view);
        ControlRing control = new ControlRing(doorbell::wake);
        Sessions sessions = new Sessions(directory.socket(), context, maxClients, control);
        EngineRecording recording = HostJournal.open(layout, context);
        Engine engine =
                HostJournal.engine(
                        layout, table, new SegmentPayload(view), hostCounters, recording);
        EngineLoop loop =
                new EngineLoop(
                        engine,
                        table,
                        doorbell,
                        control,
                        hostCounters,
                        context,
                        layout.spinNs(),
                        sessions::stop);
        table.use(engine, sessions::request);
        table.recordedBy(recording);
        return new EngineHosting(sessions, loop);
    }

    private static WelcomeTemplate template(
            HostLayout layout, SharedSegment segment, HostContext context) {
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

    /** What the class path offers. */
    record FoundTransports(String commandChannel) implements SessionTable.Transports {
        @Override
        public ClientLinkProvider link(String name) {
            Class<ClientLinkProvider> type = ClientLinkProvider.class;
            for (ClientLinkProvider provider : ServiceLoader.load(type, type.getClassLoader())) {
                if (provider.name().equals(name)) {
                    return provider;
                }
            }
            throw new BmiException(
                    ErrorCode.EPROTONOSUPPORT, "This daemon has no transport \"" + name + "\".");
        }

        @Override
        public CommandChannelProvider channel(String name) {
            return CommandChannels.require(commandChannel, name);
        }
    }
}

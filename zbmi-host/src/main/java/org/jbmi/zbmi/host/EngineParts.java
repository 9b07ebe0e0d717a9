package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.host.journal.EngineRecording;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostCounters;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.place.Refusals;
import org.jbmi.zbmi.host.port.CommandPorts;
import org.jbmi.zbmi.host.port.Doorbell;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.host.port.PortOpener;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.protocol.ServerOutput;
import org.jspecify.annotations.Nullable;

/**
 * The parts around an engine, whichever thread runs it.
 *
 * @param engine the state machine
 * @param table the sessions
 * @param doorbell announces messages
 * @param round runs it
 * @param counters where it counts
 * @param recording records events and actions; null for none
 */
record EngineParts(
        Engine engine,
        SessionTable table,
        Doorbell doorbell,
        EngineRound round,
        HostCounters counters,
        @Nullable EngineRecording recording) {

    /** In any memory; a server in this process is called directly. */
    static EngineParts of(
            HostLayout layout,
            EngineSegment view,
            WelcomeTemplate template,
            Counters counters,
            HostContext context,
            @Nullable ServerOutput ownServer) {
        return of(
                layout,
                view,
                template,
                counters,
                context,
                ownServer,
                new FoundTransports(layout.commandChannel(), layout.keepsChannelFiles()));
    }

    /** In any memory, with the caller's transports. */
    static EngineParts of(
            HostLayout layout,
            EngineSegment view,
            WelcomeTemplate template,
            Counters counters,
            HostContext context,
            @Nullable ServerOutput ownServer,
            SessionTransports transports) {
        HostCounters hostCounters =
                new HostCounters(
                        counters,
                        layout.geometry().maxClients(),
                        template.host(),
                        context.waiting());
        SessionTable table = new SessionTable(view, transports, template, hostCounters, context);
        EngineRecording recording = HostJournal.open(layout, context);
        boolean isMade = false;
        try {
            SegmentPayload payload = new SegmentPayload(view);
            Engine engine = HostJournal.engine(layout, table, ownServer, payload, recording);
            hostCounters.use(engine, payload);
            Doorbell doorbell = new Doorbell(view);
            EngineRound round = new EngineRound(engine, table, doorbell, context);
            EngineParts made =
                    new EngineParts(engine, table, doorbell, round, hostCounters, recording);
            isMade = true;
            return made;
        } finally {
            if (!isMade && recording != null) {
                recording.close(); // the tables of an engine may find no memory
            }
        }
    }

    /**
     * What follows {@link #of} has failed: nothing records and listens any more.
     *
     * @param sessions null if there are none yet
     */
    void abandon(@Nullable Sessions sessions) {
        try {
            endRecording();
        } finally {
            if (sessions != null) {
                sessions.close();
            }
        }
    }

    /** No further event comes to the engine. */
    void endRecording() {
        if (recording != null) {
            recording.close();
        }
    }

    /** Lanes for clients, and the command channels on the class path. */
    private record FoundTransports(String commandChannel, boolean keepsFiles)
            implements SessionTransports {
        @Override
        public PortOpener link(String name) {
            if (!name.equals(ShmClientLink.NAME)) {
                throw new BmiException(
                        ErrorCode.EPROTONOSUPPORT, "This host has no transport \"" + name + "\".");
            }
            return LanePort::new;
        }

        @Override
        public void checkLoan() {
            if (!commandChannel.equals(CommandPorts.ANY)) {
                throw Refusals.ofLoan(commandChannel);
            }
        }

        @Override
        public PortOpener channel(String name) {
            return CommandPorts.require(commandChannel, name).keepingFiles(keepsFiles);
        }
    }
}

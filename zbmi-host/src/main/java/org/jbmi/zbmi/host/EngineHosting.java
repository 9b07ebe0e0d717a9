package org.jbmi.zbmi.host;

import org.jbmi.mempool.SharedSegment;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.place.HostPlace;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.protocol.handshake.HostKind;

import java.io.IOException;

/**
 * An engine with threads of its own and all its parts, not running yet.
 *
 * @param sessions the host's end of the sockets
 * @param serving body of the thread that serves the sockets; at its end it tells all peers that the
 *     host has ended. Run again after a stop, it does what had found no memory
 * @param loop body of the engine's thread, which may be run again likewise
 */
public record EngineHosting(Sessions sessions, Runnable serving, EngineLoop loop) {

    /**
     * Makes one.
     *
     * @return not yet running
     * @throws IOException if it cannot listen; after any failure nothing listens
     */
    public static EngineHosting open(HostPlace place) throws IOException {
        HostLayout layout = place.layout();
        HostContext context = place.context();
        SharedSegment segment = place.segment();
        EngineParts parts =
                EngineParts.of(
                        layout,
                        new EngineSegment(segment.memory(), layout.map(), context.waiting()),
                        WelcomeTemplate.of(
                                HostKind.DAEMON,
                                layout,
                                segment.file().toAbsolutePath().toString(),
                                segment.generation(),
                                context),
                        place.counters(),
                        context,
                        null);
        Sessions listening = null;
        boolean isMade = false;
        try {
            ControlRing control = new ControlRing(parts.table(), parts.doorbell()::wake);
            Sessions sessions =
                    new Sessions(
                            place.directory().socket(),
                            context,
                            layout.geometry().maxClients(),
                            control);
            listening = sessions;
            EngineLoop loop =
                    new EngineLoop(parts, control, context, layout.waitPolicy(), sessions::stop);
            parts.table().use(parts.engine(), sessions::request);
            SegmentLender lender = new SegmentLender(place);
            place.keep(lender);
            parts.table().lendsBy(lender);
            SessionTable table = parts.table();
            Runnable serving =
                    () -> {
                        try {
                            sessions.run();
                        } finally {
                            table.tellEnds();
                        }
                    };
            EngineHosting made = new EngineHosting(sessions, serving, loop);
            isMade = true;
            return made;
        } finally {
            if (!isMade) {
                parts.abandon(listening);
            }
        }
    }
}

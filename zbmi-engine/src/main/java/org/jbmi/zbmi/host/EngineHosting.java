package org.jbmi.zbmi.host;

import org.jbmi.zbmi.protocol.HostKind;

import java.io.IOException;

/**
 * An engine in threads of its own with everything around it, put together but not running.
 *
 * @param sessions body of the sessions thread
 * @param loop body of the engine's thread
 */
public record EngineHosting(Sessions sessions, EngineLoop loop) {

    /**
     * Puts one together.
     *
     * @param place what it has outside of the heap
     * @return not yet running
     * @throws IOException if it cannot listen
     */
    public static EngineHosting open(HostPlace place) throws IOException {
        HostLayout layout = place.layout();
        HostContext context = place.context();
        EngineParts parts =
                EngineParts.of(HostKind.DAEMON, layout, place.segment(), place.counters(), context);
        ControlRing control = new ControlRing(parts.doorbell()::wake);
        Sessions sessions =
                parts.listen(
                        place.directory().socket(),
                        context,
                        layout.geometry().maxClients(),
                        control);
        EngineLoop loop =
                new EngineLoop(parts, control, context, layout.waitPolicy(), sessions::stop);
        parts.table().use(parts.engine(), sessions::request);
        SegmentLender lender = new SegmentLender(place);
        place.keep(lender);
        parts.table().lendsBy(lender);
        return new EngineHosting(sessions, loop);
    }
}

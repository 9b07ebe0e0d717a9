package org.jbmi.zbmi.host.place;

import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.engine.port.OperationVisitor;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.OperationsPage;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/** Pages that show an engine's operations to other processes. */
public final class OperationsView {
    /** Visiting this many slots takes the engine's thread some microseconds. */
    private static final int SLOTS_A_PAGE = 4096;

    private OperationsView() {}

    /**
     * One page, for the engine's thread.
     *
     * @return a page of bounded size, made in bounded time
     */
    public static OperationsPage page(
            Engine engine, int firstSlot, long nowNs, IntToLongFunction pidOf) {
        List<OperationsPage.Entry> entries = new ArrayList<>(OperationsPage.MAX_OPERATIONS);
        int nextSlot =
                engine.showOperations(
                        firstSlot,
                        SLOTS_A_PAGE,
                        OperationsPage.MAX_OPERATIONS,
                        collector(entries, pidOf),
                        nowNs);
        return new OperationsPage(
                nextSlot,
                engine.pendingOperations(),
                pidOf.applyAsLong(SegmentMap.SERVER_SESSION),
                entries);
    }

    private static OperationVisitor collector(
            List<OperationsPage.Entry> entries, IntToLongFunction pidOf) {
        return (id, client, isOfServer, isSend, isUnexpected, tag, bytes, ageNs, reason) ->
                entries.add(
                        new OperationsPage.Entry(
                                id,
                                client,
                                pidOf.applyAsLong(client),
                                flags(isOfServer, isSend, isUnexpected),
                                reason.toWire(),
                                tag,
                                bytes,
                                ageNs));
    }

    private static int flags(boolean isOfServer, boolean isSend, boolean isUnexpected) {
        return (isOfServer ? OperationsPage.OF_SERVER : 0)
                | (isSend ? OperationsPage.SENDS : 0)
                | (isUnexpected ? OperationsPage.UNEXPECTED : 0);
    }
}

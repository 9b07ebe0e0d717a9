package org.jbmi.zbmi.host;

import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;

/**
 * The welcome of every peer, without its session.
 *
 * @param host in which process the engine runs
 * @param daemonPid this process
 * @param daemonStartMs when it started
 * @param segmentPath the file to map
 * @param segmentGeneration which segment that is
 * @param geometry its layout
 * @param clientLimits what clients may do
 * @param serverLimits what the server may do
 */
record WelcomeTemplate(
        HostKind host,
        long daemonPid,
        long daemonStartMs,
        String segmentPath,
        long segmentGeneration,
        SegmentGeometry geometry,
        SessionLimits clientLimits,
        SessionLimits serverLimits) {
    private static final int SPARE_MESSAGES = 1024;

    static WelcomeTemplate of(
            HostKind host,
            HostLayout layout,
            String segmentPath,
            long segmentGeneration,
            HostContext context) {
        long pid = ProcessHandle.current().pid();
        return new WelcomeTemplate(
                host,
                pid,
                context.liveness().startTimeMs(pid),
                segmentPath,
                segmentGeneration,
                layout.geometry(),
                layout.sessionLimits(layout.limits().maxClientOperations()),
                layout.sessionLimits(layout.limits().maxServerOperations()));
    }

    Welcome welcome(int session, int generation) {
        return new Welcome(
                session,
                generation,
                host,
                daemonPid,
                daemonStartMs,
                segmentPath,
                segmentGeneration,
                geometry,
                limits(session));
    }

    /** For a server that hosts the engine itself, in another segment. */
    Welcome loan(int generation, String path, long pathGeneration) {
        return new Welcome(
                SegmentMap.SERVER_SESSION,
                generation,
                HostKind.DIRECT,
                daemonPid,
                daemonStartMs,
                path,
                pathGeneration,
                geometry,
                serverLimits);
    }

    private SessionLimits limits(int session) {
        return session == SegmentMap.SERVER_SESSION ? serverLimits : clientLimits;
    }

    /**
     * The most unread messages of a correct session. It is two for each operation: an offer that
     * was taken back unread is dropped when there are more. For the server it is also one for each
     * unexpected message and each client.
     */
    int maxBacklog(int session) {
        long most = 2L * limits(session).maxOperations() + SPARE_MESSAGES;
        if (session == SegmentMap.SERVER_SESSION) {
            most += geometry.mostUnexpected() + 2L * geometry.maxClients();
        }
        return (int) Math.min(most, Integer.MAX_VALUE);
    }
}

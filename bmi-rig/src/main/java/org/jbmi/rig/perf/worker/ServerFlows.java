package org.jbmi.rig.perf.worker;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.zoid.daemon.ZoidDaemon;
import org.jbmi.zoid.daemon.ZoidSettings;
import org.jbmi.zoid.plugins.test.TestProvider;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;

/** The flows of all clients, by peer and number. It changes rarely, and each message reads it. */
final class ServerFlows {
    /** By peer, then by number of the flow; a change replaces the arrays. */
    private volatile @Nullable ServerFlow[][] byPeer = new ServerFlow[0][];

    private volatile int count;
    private volatile boolean stopped;
    private volatile int threads;
    private volatile @Nullable ShippedServer shipped;
    private volatile int shippedFlows;
    private @Nullable ZoidDaemon forwarded;
    private volatile int forwardedFlows;

    /** One more thread takes messages. */
    synchronized void addThread() {
        threads++;
    }

    boolean hasSeveralThreads() {
        return threads > 1;
    }

    @Nullable ServerFlow find(PeerAddress peer, int number) {
        @Nullable ServerFlow[][] all = byPeer;
        int index = (int) peer.id();
        if (index >= all.length || all[index] == null || number >= all[index].length) {
            return null;
        }
        return all[index][number];
    }

    /**
     * Begins to serve calls if a phase has some: those of the shipper, or those of plug-ins, as
     * {@code zoid serve} does. An instance has one such server.
     */
    synchronized void serve(Pattern pattern, Bmi bmi) {
        boolean forwards = pattern == Pattern.FORWARD;
        if (!forwards && !pattern.isShipped()) {
            return;
        }
        if (forwards ? shippedFlows > 0 : forwardedFlows > 0) {
            throw new BmiException(
                    ErrorCode.EINVAL, "Another client measures another kind of calls here.");
        }
        if (forwards && forwarded == null) {
            closeCalls();
            ZoidSettings settings = ZoidSettings.defaults().withModules(List.of("test"));
            forwarded =
                    ZoidDaemon.serve(bmi, settings, List.of(new TestProvider()), sentence -> {});
        } else if (!forwards && shipped == null) {
            closeCalls();
            shipped = new ShippedServer(bmi);
        }
    }

    synchronized void add(ServerFlow flow) {
        int index = (int) flow.peer.id();
        @Nullable ServerFlow[][] all = Arrays.copyOf(byPeer, Math.max(byPeer.length, index + 1));
        @Nullable ServerFlow[] old = all[index] == null ? new ServerFlow[0] : all[index];
        @Nullable ServerFlow[] row = Arrays.copyOf(old, Math.max(old.length, flow.number + 1));
        row[flow.number] = flow;
        all[index] = row;
        byPeer = all;
        count++;
        shippedFlows += flow.phase.pattern().isShipped() ? 1 : 0;
        forwardedFlows += flow.phase.pattern() == Pattern.FORWARD ? 1 : 0;
    }

    synchronized void remove(ServerFlow flow) {
        int index = (int) flow.peer.id();
        @Nullable ServerFlow[][] all = byPeer.clone();
        @Nullable ServerFlow[] row = all[index].clone();
        if (row[flow.number] == flow) {
            row[flow.number] = null;
            count--;
            shippedFlows -= flow.phase.pattern().isShipped() ? 1 : 0;
            forwardedFlows -= flow.phase.pattern() == Pattern.FORWARD ? 1 : 0;
        }
        all[index] = row;
        byPeer = all;
    }

    /** The shipper's server; null before the first flow of calls. */
    @Nullable ShippedServer shipped() {
        return shippedFlows > 0 ? shipped : null;
    }

    /** Whether threads of the plug-ins' server do the work. */
    boolean isForwarding() {
        return forwardedFlows > 0;
    }

    /** Ends the server of calls, if there is one. */
    synchronized void closeCalls() {
        ShippedServer server = shipped;
        if (server != null) {
            server.close();
            shipped = null;
        }
        ZoidDaemon daemon = forwarded;
        if (daemon != null) {
            daemon.close();
            forwarded = null;
        }
    }

    /** Whether no client measures, so that the server may sleep. */
    boolean isQuiet() {
        return count == 0;
    }

    boolean isStopped() {
        return stopped;
    }

    void stop() {
        stopped = true;
    }
}

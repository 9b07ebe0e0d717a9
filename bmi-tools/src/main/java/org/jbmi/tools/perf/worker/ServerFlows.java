package org.jbmi.tools.perf.worker;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/** The flows of all clients, found by peer and number. Changed rarely, read with each message. */
final class ServerFlows {
    /** By peer, then by number of the flow; replaced, never changed. */
    private volatile @Nullable ServerFlow[][] byPeer = new ServerFlow[0][];

    private volatile int count;
    private volatile boolean stopped;
    private volatile @Nullable ShippedServer shipped;
    private volatile int shippedFlows;

    @Nullable ServerFlow find(PeerAddress peer, int number) {
        @Nullable ServerFlow[][] all = byPeer;
        int index = (int) peer.id();
        if (index >= all.length || all[index] == null || number >= all[index].length) {
            return null;
        }
        return all[index][number];
    }

    synchronized void add(ServerFlow flow, Bmi bmi) {
        int index = (int) flow.peer.id();
        @Nullable ServerFlow[][] all = Arrays.copyOf(byPeer, Math.max(byPeer.length, index + 1));
        @Nullable ServerFlow[] old = all[index] == null ? new ServerFlow[0] : all[index];
        @Nullable ServerFlow[] row = Arrays.copyOf(old, Math.max(old.length, flow.number + 1));
        row[flow.number] = flow;
        all[index] = row;
        byPeer = all;
        count++;
        if (flow.phase.pattern().isShipped()) {
            shipped = shipped == null ? new ShippedServer(bmi) : shipped;
            shippedFlows++;
        }
    }

    synchronized void remove(ServerFlow flow) {
        int index = (int) flow.peer.id();
        @Nullable ServerFlow[][] all = byPeer.clone();
        @Nullable ServerFlow[] row = all[index].clone();
        if (row[flow.number] == flow) {
            row[flow.number] = null;
            count--;
            shippedFlows -= flow.phase.pattern().isShipped() ? 1 : 0;
        }
        all[index] = row;
        byPeer = all;
    }

    /** The shipper, which is there from the first flow of calls on. */
    @Nullable ShippedServer shipped() {
        return shippedFlows > 0 ? shipped : null;
    }

    /** Ends the shipper, if there was one. */
    synchronized void closeShipped() {
        ShippedServer server = shipped;
        if (server != null) {
            server.close();
        }
    }

    /** Whether nobody measures anything, so that the server may sleep. */
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

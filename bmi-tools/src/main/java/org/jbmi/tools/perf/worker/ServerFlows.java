package org.jbmi.tools.perf.worker;

import org.jbmi.PeerAddress;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/** The flows of all clients, found by peer and number. Changed rarely, read with each message. */
final class ServerFlows {
    /** By peer, then by number of the flow; replaced, never changed. */
    private volatile @Nullable ServerFlow[][] byPeer = new ServerFlow[0][];

    private volatile int count;
    private volatile boolean stopped;

    @Nullable ServerFlow find(PeerAddress peer, int number) {
        @Nullable ServerFlow[][] all = byPeer;
        int index = (int) peer.id();
        if (index >= all.length || all[index] == null || number >= all[index].length) {
            return null;
        }
        return all[index][number];
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
    }

    synchronized void remove(ServerFlow flow) {
        int index = (int) flow.peer.id();
        @Nullable ServerFlow[][] all = byPeer.clone();
        @Nullable ServerFlow[] row = all[index].clone();
        if (row[flow.number] == flow) {
            row[flow.number] = null;
            count--;
        }
        all[index] = row;
        byPeer = all;
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

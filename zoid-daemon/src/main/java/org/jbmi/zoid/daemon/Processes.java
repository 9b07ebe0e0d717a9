package org.jbmi.zoid.daemon;

import org.jbmi.spi.HashMaps;
import org.jbmi.zoid.forward.wire.Attendance;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The connected processes. It uses a number again only after all other numbers. */
final class Processes {
    private final int most;
    private final Map<Integer, ZoidProcess> byId = HashMaps.prepared(new HashMap<>());
    private final Map<Long, ZoidProcess> byKey = HashMaps.prepared(new HashMap<>());
    private int lastId;

    Processes(int most) {
        this.most = most;
    }

    /**
     * Gives a process a number; null if there are too many processes, or if an admitted process has
     * the key.
     */
    synchronized @Nullable ZoidProcess come(Attendance.In words, String address) {
        if (byId.size() >= most || byKey.containsKey(words.key())) {
            return null;
        }
        do {
            lastId = lastId == Integer.MAX_VALUE ? 1 : lastId + 1;
        } while (byId.containsKey(lastId));
        ZoidProcess process = new ZoidProcess(lastId, words, address);
        byId.put(lastId, process);
        return process;
    }

    /** Accepts the calls of a process from now on. */
    synchronized void admit(ZoidProcess process) {
        byKey.put(process.words().key(), process);
        notifyAll();
    }

    /** Refuses the calls of a process from now on. */
    synchronized void leave(ZoidProcess process) {
        byKey.remove(process.words().key(), process);
    }

    /** Frees the number of a process. */
    synchronized void forget(ZoidProcess process) {
        byId.remove(process.id());
        notifyAll();
    }

    /** Waits for a process; null if it does not come. */
    synchronized @Nullable ZoidProcess await(long key, Duration patience)
            throws InterruptedException {
        long endNs = System.nanoTime() + patience.toNanos();
        while (!byKey.containsKey(key)) {
            long leftMs = leftMs(endNs);
            if (leftMs <= 0) {
                return null;
            }
            wait(leftMs);
        }
        return byKey.get(key);
    }

    /** The process that a call names; null if there is none with this number and key. */
    synchronized @Nullable ZoidProcess find(int id, long key) {
        ZoidProcess process = byKey.get(key);
        return process != null && process.id() == id ? process : null;
    }

    /** The process of a number; null if there is none. */
    synchronized @Nullable ZoidProcess find(int id) {
        return byId.get(id);
    }

    /** Waits, for a limited time, until all processes have ended. */
    synchronized void awaitNone(Duration patience) throws InterruptedException {
        long endNs = System.nanoTime() + patience.toNanos();
        for (long left = leftMs(endNs); !byId.isEmpty() && left > 0; left = leftMs(endNs)) {
            wait(left);
        }
    }

    /** How long it is until a {@link System#nanoTime}; 0 or less if that is past. */
    static long leftMs(long endNs) {
        return (endNs - System.nanoTime()) / 1_000_000;
    }

    synchronized int count() {
        return byId.size();
    }
}

package org.jbmi.zoid.daemon;

import org.jbmi.spi.HashMaps;
import org.jbmi.zoid.forward.wire.Attendance;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The connected processes. It uses a number again only after all other numbers. */
final class Processes {
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
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
    @Nullable ZoidProcess come(Attendance.In words, String address) {
        lock.lock();
        try {
            if (byId.size() >= most || byKey.containsKey(words.key())) {
                return null;
            }
            do {
                lastId = lastId == Integer.MAX_VALUE ? 1 : lastId + 1;
            } while (byId.containsKey(lastId));
            ZoidProcess process = new ZoidProcess(lastId, words, address);
            byId.put(lastId, process);
            return process;
        } finally {
            lock.unlock();
        }
    }

    /** Accepts the calls of a process from now on. */
    void admit(ZoidProcess process) {
        lock.lock();
        try {
            byKey.put(process.words().key(), process);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Refuses the calls of a process from now on. */
    void leave(ZoidProcess process) {
        lock.lock();
        try {
            byKey.remove(process.words().key(), process);
        } finally {
            lock.unlock();
        }
    }

    /** Frees the number of a process. */
    void forget(ZoidProcess process) {
        lock.lock();
        try {
            byId.remove(process.id());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a process; null if it does not come. */
    @Nullable ZoidProcess await(long key, Duration patience) throws InterruptedException {
        long leftNs = patience.toNanos();
        lock.lock();
        try {
            while (!byKey.containsKey(key)) {
                if (leftNs <= 0) {
                    return null;
                }
                leftNs = changed.awaitNanos(leftNs);
            }
            return byKey.get(key);
        } finally {
            lock.unlock();
        }
    }

    /** The process that a call names; null if there is none with this number and key. */
    @Nullable ZoidProcess find(int id, long key) {
        lock.lock();
        try {
            ZoidProcess process = byKey.get(key);
            return process != null && process.id() == id ? process : null;
        } finally {
            lock.unlock();
        }
    }

    /** The process of a number; null if there is none. */
    @Nullable ZoidProcess find(int id) {
        lock.lock();
        try {
            return byId.get(id);
        } finally {
            lock.unlock();
        }
    }

    /** Waits, for a limited time, until all processes have ended. */
    void awaitNone(Duration patience) throws InterruptedException {
        long leftNs = patience.toNanos();
        lock.lock();
        try {
            while (!byId.isEmpty() && leftNs > 0) {
                leftNs = changed.awaitNanos(leftNs);
            }
        } finally {
            lock.unlock();
        }
    }

    int count() {
        lock.lock();
        try {
            return byId.size();
        } finally {
            lock.unlock();
        }
    }
}

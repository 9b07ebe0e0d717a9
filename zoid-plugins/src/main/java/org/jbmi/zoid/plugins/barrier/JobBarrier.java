package org.jbmi.zoid.plugins.barrier;

import org.jbmi.spi.HashMaps;
import org.jbmi.zoid.forward.PluginServices;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A barrier for each job. */
final class JobBarrier implements Barrier {
    private static final long NO_RANK = -3;
    private static final long GONE = -32;
    private static final long INTERRUPTED = -4;

    private final PluginServices services;
    private final Map<String, Round> rounds = HashMaps.prepared(new HashMap<>());
    private final Map<Integer, String> jobs = HashMaps.prepared(new HashMap<>());

    /** The processes of a job that wait, and how often all have met. */
    private static final class Round {
        /** The threads of each process that wait: several, if it called again; never none. */
        private final Map<Integer, Set<Thread>> waiting = HashMaps.prepared(new HashMap<>());

        private long met;
        private boolean broken;

        /** The process counts as long as another thread of it waits. */
        private void leave(Integer process) {
            Set<Thread> threads = waiting.get(process);
            if (threads != null) {
                threads.remove(Thread.currentThread());
                if (threads.isEmpty()) {
                    waiting.remove(process);
                }
            }
        }
    }

    JobBarrier(PluginServices services) {
        this.services = services;
    }

    @Override
    public synchronized long wait_() {
        Integer process = services.callingProcess();
        int size = services.jobSizeOf(process);
        Round round = rounds.get(jobs.getOrDefault(process, ""));
        if (round == null || size < 1) {
            return NO_RANK;
        }
        if (round.broken) {
            return GONE;
        }
        long before = round.met;
        try {
            round.waiting.computeIfAbsent(process, _ -> HashMaps.set()).add(Thread.currentThread());
        } catch (Error e) { // of a full heap, after a part of that
            round.leave(process);
            throw e;
        }
        if (round.waiting.size() >= size) {
            round.waiting.clear();
            round.met++;
            notifyAll();
            return round.met;
        }
        try {
            while (round.met == before && !round.broken) {
                wait();
            }
        } catch (InterruptedException e) {
            round.leave(process);
            Thread.currentThread().interrupt();
            return INTERRUPTED;
        }
        return round.met > before ? before + 1 : GONE;
    }

    /** Ends the waits of a job whose process has ended: its round cannot become complete. */
    @Override
    public synchronized void proc(boolean added, int processId) {
        if (added) {
            Optional<String> job = services.jobOf(processId);
            job.ifPresent(
                    name -> {
                        jobs.put(processId, name);
                        rounds.putIfAbsent(name, new Round());
                    });
            return;
        }
        String name = jobs.remove(processId);
        Round round = name == null ? null : rounds.get(name);
        if (name == null || round == null) {
            return;
        }
        round.waiting.clear();
        round.broken = true;
        notifyAll();
    }

    /**
     * The plug-in removes the round only here. If it removed the round earlier, a late process
     * would wait in a new round for processes that have ended.
     */
    @Override
    public synchronized void jobEnded(String job) {
        rounds.remove(job);
    }
}

package org.jbmi.zoid.daemon;

import org.jbmi.zoid.forward.JobDescription;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The jobs whose processes are here, or are about to come. A job begins with its script and {@code
 * init}, and ends with {@code fini} and the script, when its launcher and its last process have
 * gone.
 */
final class Jobs {
    private final Map<String, Job> jobs = new HashMap<>();
    private final JobHooks hooks;
    private Collection<LoadedPlugin> plugins = List.of();

    Jobs(JobHooks hooks) {
        this.hooks = hooks;
    }

    /** Says whom to tell; before the first job. */
    synchronized void tell(Collection<LoadedPlugin> loaded) {
        plugins = List.copyOf(loaded);
    }

    /** A launcher begins a job; null if there is one of that name. */
    @Nullable Job launch(JobWords.In words) {
        Job job;
        synchronized (this) {
            if (jobs.containsKey(words.job())) {
                return null;
            }
            job = new Job(words, true);
            jobs.put(words.job(), job);
            notifyAll();
        }
        begin(job);
        return job;
    }

    private void begin(Job job) {
        JobWords.In words = job.words();
        try {
            hooks.before(words);
            JobDescription description =
                    new JobDescription(
                            words.size(),
                            words.executable(),
                            words.arguments(),
                            words.environment());
            for (LoadedPlugin plugin : plugins()) {
                plugin.tell("init", lifecycle -> lifecycle.init(description));
            }
        } finally {
            job.begun().countDown();
        }
    }

    private synchronized Collection<LoadedPlugin> plugins() {
        return plugins;
    }

    /** The job of a name; null if there is none. */
    synchronized @Nullable Job find(String name) {
        return jobs.get(name);
    }

    /** Waits for the job of a launcher; null if it does not come, or if the key is not its own. */
    synchronized @Nullable Job await(JobWords.Name name, Duration patience)
            throws InterruptedException {
        long endNs = System.nanoTime() + patience.toNanos();
        Job job = jobs.get(name.job());
        while (job == null) {
            long leftMs = (endNs - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                return null;
            }
            wait(leftMs);
            job = jobs.get(name.job());
        }
        return job.isLaunched() && job.words().key() == name.key() ? job : null;
    }

    /** Ends the jobs of launchers as if these had gone. */
    void launchersGone() {
        Collection<Job> all;
        synchronized (this) {
            all = List.copyOf(jobs.values());
        }
        all.forEach(this::launcherGone);
    }

    /** Writes to the output of a job; false if nobody fetches it. */
    boolean write(String name, int stream, byte[] text) {
        Job job = find(name);
        return job != null && job.isLaunched() && job.output().write(stream, text);
    }

    /** A process has come: waits until its job has begun. Without a rank it has none. */
    void enter(ZoidProcess process) throws InterruptedException {
        if (!process.hasRank()) {
            return;
        }
        Job job;
        boolean first = false;
        synchronized (this) {
            Job known = jobs.get(process.job());
            while (known != null && known.ending) {
                wait();
                known = jobs.get(process.job());
            }
            first = known == null;
            job = known == null ? new Job(words(process), false) : known;
            jobs.put(process.job(), job);
            job.processes++;
        }
        try {
            if (first) {
                begin(job);
            }
            job.begun().await();
        } catch (InterruptedException e) {
            leave(process);
            throw e;
        }
    }

    private static JobWords.In words(ZoidProcess process) {
        List<String> program = process.words().program();
        return new JobWords.In(
                process.job(),
                0,
                process.words().size(),
                0,
                program.isEmpty() ? "" : program.getFirst(),
                program.isEmpty() ? List.of() : program.subList(1, program.size()),
                List.of());
    }

    /** A process that has entered has gone. */
    void leave(ZoidProcess process) {
        if (!process.hasRank()) {
            return;
        }
        Job job;
        synchronized (this) {
            job = jobs.get(process.job());
            if (job == null) {
                return;
            }
            job.processes--;
        }
        endIfOver(job);
    }

    /** The launcher of a job has gone, or says that the job is over. */
    void launcherGone(Job job) {
        synchronized (this) {
            job.hasLauncher = false;
        }
        endIfOver(job);
    }

    private void endIfOver(Job job) {
        synchronized (this) {
            if (job.ending || job.hasLauncher || job.processes > 0) {
                return;
            }
            job.ending = true;
        }
        try {
            for (LoadedPlugin plugin : plugins()) {
                plugin.tell("fini", lifecycle -> lifecycle.fini());
            }
            hooks.after(job.words());
        } finally {
            synchronized (this) {
                jobs.remove(job.words().job(), job);
                notifyAll();
            }
            job.output().close();
            job.ended().countDown();
        }
    }

    /** Waits until all have ended, or for some time. */
    synchronized void awaitNone(Duration patience) throws InterruptedException {
        long endNs = System.nanoTime() + patience.toNanos();
        long leftMs = patience.toMillis();
        while (!jobs.isEmpty() && leftMs > 0) {
            wait(leftMs);
            leftMs = (endNs - System.nanoTime()) / 1_000_000;
        }
    }
}

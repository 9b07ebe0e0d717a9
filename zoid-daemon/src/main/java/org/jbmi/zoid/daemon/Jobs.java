package org.jbmi.zoid.daemon;

import org.jbmi.spi.HashMaps;
import org.jbmi.zoid.daemon.plugin.Plugins;
import org.jbmi.zoid.forward.JobDescription;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The jobs whose processes are connected, or are going to connect. A job begins with its script and
 * {@code init}, and ends with {@code fini} and the script, after its launcher and its last process
 * have gone. A launcher finds its job until it has fetched all output, even after the job has
 * ended.
 */
final class Jobs {
    /** How much of the heap the programs, arguments and variables of all jobs may take. */
    private static final long MOST_BYTES = 64 << 20;

    /** Jobs whose words take more get at most half of that, and leave the rest to the others. */
    private static final long SHORT_BYTES = 64 << 10;

    private final Map<String, Job> jobs = HashMaps.prepared(new HashMap<>());
    private final Map<JobWords.Name, Job> launched = HashMaps.prepared(new HashMap<>());
    private final JobHooks hooks;
    private final Plugins plugins;
    private long keptBytes;
    private long longBytes;
    private boolean closing;

    Jobs(JobHooks hooks, Plugins plugins) {
        this.hooks = hooks;
        this.plugins = plugins;
    }

    /**
     * Begins a job for a launcher; null if there is one with that name.
     *
     * @throws ZoidException with EAGAIN if the words of all jobs take too much memory, and with
     *     ECANCELED if the server closes
     */
    @Nullable Job launch(JobWords.In words) {
        Job job = new Job(words, true);
        synchronized (this) {
            if (closing) {
                throw closes();
            }
            if (jobs.containsKey(words.job()) || launched.containsKey(job.name)) {
                return null;
            }
            take(job);
            try {
                jobs.put(words.job(), job);
                launched.put(job.name, job);
            } catch (RuntimeException | Error e) {
                jobs.remove(words.job(), job);
                launched.remove(job.name, job);
                give(job);
                throw e;
            }
            notifyAll();
        }
        try {
            begin(job);
        } catch (RuntimeException | Error e) {
            launcherGone(job);
            throw e;
        }
        return job;
    }

    private static ZoidException closes() {
        return new ZoidException(ZoidError.ECANCELED, 0, "The server closes.");
    }

    private void begin(Job job) {
        JobWords.In words = job.words;
        try {
            hooks.before(words);
            if (!job.isLaunched && Thread.currentThread().isInterrupted()) {
                throw closes();
            }
            plugins.jobBegins(
                    words.job(),
                    new JobDescription(
                            words.size(),
                            words.executable(),
                            words.arguments(),
                            words.environment()));
        } catch (RuntimeException | Error e) {
            job.failure = e;
            throw e;
        } finally {
            job.begun.countDown();
        }
    }

    /**
     * Begins a job without a launcher, in a thread of its own. The process that has come first may
     * go again, which interrupts its thread, while others wait for the same script.
     */
    private void startBegin(Job job) {
        synchronized (this) {
            if (job.beginning) {
                return;
            }
            job.beginning = true;
        }
        try {
            Thread beginner =
                    Thread.ofVirtual().name("zoid-job-begin").unstarted(() -> tryBegin(job));
            synchronized (this) {
                job.beginner = beginner;
            }
            beginner.start();
        } catch (OutOfMemoryError e) {
            tryBegin(job); // else the processes of the job would wait for ever
        }
    }

    private void tryBegin(Job job) {
        try {
            begin(job);
        } catch (RuntimeException | Error e) {
            // The processes that wait for it are told.
        }
    }

    /**
     * Ends the scripts that run before jobs without a launcher, without waiting for that. The
     * processes of these jobs are not taken in.
     */
    synchronized void interruptBegins() {
        for (Job job : jobs.values()) {
            if (job.beginner != null) {
                job.beginner.interrupt();
            }
        }
    }

    /** The job with a name; null if there is none. */
    synchronized @Nullable Job find(String name) {
        return jobs.get(name);
    }

    /** Whether packets of a process may leave the node, which its job decides. */
    boolean translates(ZoidProcess process) {
        Job job = process.hasRank() ? find(process.job()) : null;
        return hooks.translates(job == null ? null : job.words);
    }

    /** Waits for the job of a launcher; null if it does not come, or if the key is wrong. */
    synchronized @Nullable Job await(JobWords.Name name, Duration patience)
            throws InterruptedException {
        long endNs = System.nanoTime() + patience.toNanos();
        Job job = launched.get(name);
        while (job == null && !jobs.containsKey(name.job())) {
            long leftMs = Processes.leftMs(endNs);
            if (leftMs <= 0) {
                return null;
            }
            wait(leftMs);
            job = launched.get(name);
        }
        return job;
    }

    /** Ends all jobs as if their launchers had asked for it: these can still fetch the output. */
    void endAll() {
        Collection<Job> all;
        synchronized (this) {
            closing = true; // neither a process that comes nor a launcher begins a job any more
            all = List.copyOf(jobs.values());
        }
        all.forEach(this::end);
    }

    /** Writes to the output of a job; false if no launcher fetches it. */
    boolean write(String name, int stream, byte[] text) {
        Job job = find(name);
        return job != null && job.isLaunched && job.output.write(stream, text);
    }

    /**
     * A process has connected: waits until its job has begun, and fails as that has. A process
     * without a rank has no job.
     *
     * @throws ZoidException with EAGAIN if the words of all jobs take too much memory
     */
    void enter(ZoidProcess process, JobWords.Coming coming) throws InterruptedException {
        if (!process.hasRank()) {
            coming.takeProgram();
            return;
        }
        Job job = join(process, coming);
        try {
            startBegin(job);
            job.begun.await();
            switch (job.failure) {
                case null -> {}
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            }
        } catch (InterruptedException | RuntimeException | Error e) {
            leave(process);
            throw e;
        }
    }

    /** Takes the program out of the words of a process; only a new job keeps it. */
    private synchronized Job join(ZoidProcess process, JobWords.Coming coming)
            throws InterruptedException {
        JobWords.In words = words(process, coming.takeProgram());
        Job begun = jobs.get(process.job());
        if (begun != null && !begun.ending) {
            begun.processes++;
            return begun;
        }
        Job another = new Job(words, false);
        take(another); // before the wait, which a process begins with its words
        boolean keeps = false;
        try {
            Job known = awaitNoEnding(process.job());
            if (known == null && closing) {
                throw closes();
            }
            Job job = known == null ? another : known;
            jobs.put(process.job(), job);
            job.processes++;
            keeps = known == null;
            return job;
        } finally {
            if (!keeps) {
                jobs.remove(process.job(), another);
                give(another);
            }
        }
    }

    /** The job with a name, after one of that name that ends; null if there is none. */
    private synchronized @Nullable Job awaitNoEnding(String name) throws InterruptedException {
        Job job = jobs.get(name);
        while (job != null && job.ending) {
            wait();
            job = jobs.get(name);
        }
        return job;
    }

    private static JobWords.In words(ZoidProcess process, List<String> program) {
        return new JobWords.In(
                process.job(),
                0,
                process.words().size(),
                0,
                program.isEmpty() ? "" : program.getFirst(),
                program.isEmpty() ? List.of() : program.subList(1, program.size()),
                List.of());
    }

    /** Counts the words of a job, and refuses what is too much for the heap. */
    private synchronized void take(Job job) {
        long bytes = job.words.heapBytes();
        boolean isLong = bytes > SHORT_BYTES;
        if (bytes > MOST_BYTES - keptBytes || (isLong && bytes > MOST_BYTES / 2 - longBytes)) {
            throw new ZoidException(ZoidError.EAGAIN, 0, "The words of all jobs are too long.");
        }
        keptBytes += bytes;
        if (isLong) {
            longBytes += bytes;
        }
        job.countedBytes = bytes;
    }

    /** Allocates nothing, so that it can be done in a full heap. */
    private synchronized void give(Job job) {
        keptBytes -= job.countedBytes;
        if (job.countedBytes > SHORT_BYTES) {
            longBytes -= job.countedBytes;
        }
        job.countedBytes = 0;
    }

    /** The call of a launcher holds the words until it has the end of the output. */
    private synchronized void giveIfGone(Job job) {
        if (jobs.get(job.words.job()) != job && launched.get(job.name) != job) {
            give(job);
        }
    }

    /** A process that has entered has ended. */
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

    /** The launcher of a job has gone: no one fetches its output any more. */
    void launcherGone(Job job) {
        job.output.close();
        synchronized (this) {
            launched.remove(job.name, job);
            giveIfGone(job);
            notifyAll();
        }
        end(job);
    }

    /** The launcher of a job reports that the job is over; it still fetches the output. */
    void end(Job job) {
        synchronized (this) {
            job.hasLauncher = false;
        }
        endIfOver(job);
    }

    /**
     * In a thread of its own: the last party may be interrupted, and the script after a job must
     * run to its end.
     */
    private void endIfOver(Job job) {
        synchronized (this) {
            if (job.ending || job.hasLauncher || job.processes > 0) {
                return;
            }
            job.ending = true;
        }
        try {
            Thread.ofVirtual().name("zoid-job-end").start(() -> finish(job));
        } catch (OutOfMemoryError e) {
            finish(job); // else its name stays taken
        }
    }

    private void finish(Job job) {
        try {
            job.begun.await(); // its launcher may end while the first script still runs
            plugins.jobEnds(job.words.job());
            hooks.after(job.words);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (this) {
                jobs.remove(job.words.job(), job);
                giveIfGone(job);
                notifyAll();
            }
            job.output.close();
            job.ended.countDown();
        }
    }

    /** Waits until all jobs have ended and launchers have their output, for a limited time. */
    synchronized void awaitNone(Duration patience) throws InterruptedException {
        long endNs = System.nanoTime() + patience.toNanos();
        long leftMs = patience.toMillis();
        while (!(jobs.isEmpty() && launched.isEmpty()) && leftMs > 0) {
            wait(leftMs);
            leftMs = Processes.leftMs(endNs);
        }
    }
}

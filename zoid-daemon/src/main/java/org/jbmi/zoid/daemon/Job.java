package org.jbmi.zoid.daemon;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CountDownLatch;

/** A job: begins before its first process, ends after its last one. Guarded by {@link Jobs}. */
final class Job {
    private final JobWords.In words;
    private final JobWords.Name name;
    private final boolean launched;
    private final Output output = new Output();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CountDownLatch fetched = new CountDownLatch(1);
    int processes;

    /** What its program, arguments and variables count for; 0 if they do not, or no longer. */
    long countedBytes;

    /** Whether a thread runs its beginning, or has. */
    boolean beginning;

    /** That thread, if the job has no launcher. */
    @Nullable Thread beginner;

    /** Why it could not begin; written before {@link #begun} is counted down. */
    volatile @Nullable Throwable failure;

    boolean hasLauncher;
    boolean ending;

    Job(JobWords.In words, boolean launched) {
        this.words = words;
        this.name = words.name();
        this.launched = launched;
        this.hasLauncher = launched;
        this.beginning = launched;
    }

    JobWords.In words() {
        return words;
    }

    /** What its launcher calls it. */
    JobWords.Name name() {
        return name;
    }

    boolean isLaunched() {
        return launched;
    }

    Output output() {
        return output;
    }

    CountDownLatch begun() {
        return begun;
    }

    CountDownLatch ended() {
        return ended;
    }

    /** Counted down when the launcher has the end of the output. */
    CountDownLatch fetched() {
        return fetched;
    }
}

package org.jbmi.zoid.daemon;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CountDownLatch;

/** A job: begins before its first process, ends after its last one. Guarded by {@link Jobs}. */
final class Job {
    final JobWords.In words;

    /** What its launcher calls it. */
    final JobWords.Name name;

    final boolean isLaunched;
    final Output output = new Output();
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch ended = new CountDownLatch(1);

    /** Counted down when the launcher has the end of the output. */
    final CountDownLatch fetched = new CountDownLatch(1);

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

    Job(JobWords.In words, boolean isLaunched) {
        this.words = words;
        this.name = words.name();
        this.isLaunched = isLaunched;
        this.hasLauncher = isLaunched;
        this.beginning = isLaunched;
    }
}

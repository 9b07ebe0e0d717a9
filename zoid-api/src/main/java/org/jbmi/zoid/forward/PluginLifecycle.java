package org.jbmi.zoid.forward;

import java.lang.foreign.MemorySegment;

/**
 * The events that a server reports to a plug-in. An interface with {@link ZoidPlugin} extends this
 * one; an implementation overrides the methods that it needs. Several threads may call these
 * methods at the same time, also while functions run. The methods must return soon. The server logs
 * their exceptions and goes on.
 */
public interface PluginLifecycle {
    /**
     * A job starts, or the server loads the plug-in while the job runs.
     *
     * @param job its description
     */
    default void init(JobDescription job) {}

    /**
     * The last process of the job has ended, in whatever way, or the server unloads the plug-in.
     */
    default void fini() {}

    /**
     * A job is over, right after {@link #fini}: for plug-ins with state for each job.
     *
     * @param job which one, as {@link PluginServices#jobOf} tells it
     */
    default void jobEnded(String job) {}

    /**
     * A process has connected or ended. To a plug-in that it loads later, the server reports the
     * processes that are connected. Each is reported exactly once, also for a process that was
     * killed.
     *
     * @param added true if it has connected, false if it has ended
     * @param processId its number, unique while it lives
     */
    default void proc(boolean added, int processId) {}

    /**
     * The server closes, unloads the plug-in, or refuses it after {@link PluginProvider#open};
     * before a refusal it has called no other method. No call follows. The plug-in closes what it
     * has opened.
     */
    default void unloaded() {}

    /**
     * A call has ended after its allocator returned and before its function: its client has ended,
     * or the bytes did not arrive. The server does not use the memory any more.
     *
     * @param memory what the allocator returned
     */
    default void abandoned(MemorySegment memory) {}
}

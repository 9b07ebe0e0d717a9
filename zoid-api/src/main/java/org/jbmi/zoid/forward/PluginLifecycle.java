package org.jbmi.zoid.forward;

import java.lang.foreign.MemorySegment;

/**
 * The events that a server reports to a plug-in. An interface with {@link ZoidPlugin} extends this
 * one; an implementation overrides the methods that it needs.
 */
public interface PluginLifecycle {
    /**
     * A job starts; none of its processes has made a call yet.
     *
     * @param job its description
     */
    default void init(JobDescription job) {}

    /** The last process of the job has ended, in whatever way. */
    default void fini() {}

    /**
     * A job is over, right after {@link #fini}: for plug-ins with state for each job.
     *
     * @param job which one, as {@link PluginServices#jobOf} tells it
     */
    default void jobEnded(String job) {}

    /**
     * A process has connected or ended. Each is reported exactly once, also for a process that was
     * killed.
     *
     * @param added true if it has connected, false if it has ended
     * @param processId its number, unique while it lives
     */
    default void proc(boolean added, int processId) {}

    /** The server closes; no call follows. The plug-in closes what it has opened. */
    default void unloaded() {}

    /**
     * A call has ended after its allocator returned and before its function: its client has ended,
     * or the bytes did not arrive. The server does not use the memory any more.
     *
     * @param memory what the allocator returned
     */
    default void abandoned(MemorySegment memory) {}
}

package org.jbmi.zoid.forward;

import java.lang.foreign.MemorySegment;

/**
 * What a server tells a plug-in besides calls. An interface with {@link ZoidPlugin} extends this
 * one; an implementation overrides what it needs.
 */
public interface PluginLifecycle {
    /**
     * A job is about to start: no process of it has made a call yet.
     *
     * @param job what is known of it
     */
    default void init(JobDescription job) {}

    /** The last process of the job has ended, in whatever way. */
    default void fini() {}

    /**
     * A job is over, right after {@link #fini}: for plug-ins that keep something for each job.
     *
     * @param job which one, as {@link PluginServices#jobOf} tells it
     */
    default void jobEnded(String job) {}

    /**
     * A process has come or has gone. Each is told exactly once, also for a process that was
     * killed.
     *
     * @param added true if it has come, false if it has gone
     * @param processId its number, unique while it lives
     */
    default void proc(boolean added, int processId) {}

    /** The server closes: no call follows. For what the plug-in has opened by itself. */
    default void unloaded() {}

    /**
     * A call has ended between an allocator's return and the function: its client has gone, or the
     * bytes did not come. Nobody else knows of the memory then.
     *
     * @param memory what the allocator returned
     */
    default void abandoned(MemorySegment memory) {}
}

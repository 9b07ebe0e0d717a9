package org.jbmi.zoid.forward;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The services of the server for a plug-in. Safe for use by any thread. But {@link #callingProcess}
 * works only in the thread that runs a function, an allocator, a callback or {@link
 * PluginLifecycle#abandoned}. {@link #registerUserBuffer} and {@link #allocateUserBuffer} work only
 * in the thread that runs a function.
 */
public interface PluginServices {
    /**
     * The process that made the call. Also valid in allocators and in callbacks of registered
     * buffers.
     *
     * @return the number of the process at this server, unique while the process lives. It is not
     *     the rank; {@link #rankOf} gives the rank
     * @throws IllegalStateException in a thread that runs no call
     */
    int callingProcess();

    /**
     * The rank of a process in its job.
     *
     * @param processId the number of the process
     * @return 0 and up; -1 if it has none, or if there is no such process
     */
    int rankOf(int processId);

    /**
     * The job of a process.
     *
     * @param processId the number of the process
     * @return the name of the job, unique at the server; empty if the process has no rank
     */
    Optional<String> jobOf(int processId);

    /**
     * How many processes the job of a process has, on all servers.
     *
     * @param processId the number of the process
     * @return 1 and up; -1 if it has no rank
     */
    int jobSizeOf(int processId);

    /**
     * Writes to the standard output or error of the job that a process belongs to. Waits while the
     * job's launcher takes no output and its buffer is full.
     *
     * @param processId the number of the process, which must have a rank
     * @param stream 1 for standard output, 2 for standard error
     * @param text what to write, without a terminating zero
     * @return 0, or -1 if the text cannot be written. Then the process has no rank, or {@code zoid
     *     run} does not run its job. Or the output has ended, there is no such stream, or the
     *     thread is interrupted
     */
    int sendOutput(int processId, int stream, byte[] text);

    /**
     * Registers the memory for the output array of this call with {@link UserBuffer}. The memory
     * belongs to the server until the callback has run.
     *
     * @param memory the memory to send, at least as large as the size parameter when the function
     *     returns. Any thread must be able to use it, so it is of no confined arena
     * @param callback called once, with the memory, by the thread of the function, when the server
     *     no longer needs the memory. Also called if the call failed. Null if the plug-in need not
     *     know
     * @throws IllegalStateException if the function has no such array, or in a thread that runs no
     *     call, or if memory was registered already
     * @throws IllegalArgumentException if this memory and the memory that other calls of the
     *     plug-in use exceed the quota, or if it is confined to a thread. Then the server does not
     *     call the callback
     */
    void registerUserBuffer(MemorySegment memory, @Nullable Consumer<MemorySegment> callback);

    /**
     * Allocates memory for the output array of this call with {@link UserBuffer}, within the
     * server's quota, and registers it.
     *
     * @param bytes how many
     * @return memory that is the call's, cleared; null if there is none, or beyond the quota
     * @throws IllegalStateException as {@link #registerUserBuffer}
     */
    @Nullable MemorySegment allocateUserBuffer(long bytes);

    /**
     * A setting of the plug-in, from the start of the server or from the command that loads the
     * plug-in.
     *
     * @param name for example {@code unix.root}
     * @return its value; empty if there is none
     */
    Optional<String> setting(String name);
}

package org.jbmi.zoid.forward;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What a plug-in may ask of the server that runs it. Safe for use by any thread, but {@link
 * #callingProcess} and {@link #registerUserBuffer} work only in the thread that runs a function of
 * the plug-in, or one of its callbacks.
 */
public interface PluginServices {
    /**
     * Which process called. Also valid in allocators and in callbacks of registered buffers.
     *
     * @return the number of the process, unique while it lives; no rank
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
     * @return what tells jobs of one server apart; empty if the process has no rank
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
     * Writes to the standard output or error of the job that a process belongs to.
     *
     * @param processId the number of the process, which must have a rank
     * @param stream 1 for standard output, 2 for standard error
     * @param text what to write, without an end
     * @return 0, or -1 if it cannot be written: the process has no rank, or its job is not run by
     *     {@code zoid run}
     */
    int sendOutput(int processId, int stream, byte[] text);

    /**
     * Names the memory that goes to the client for the array of this call which comes out and is
     * marked with {@link UserBuffer}. It belongs to the server until the callback has run.
     *
     * @param memory what is sent, at least as large as the size parameter says when the function
     *     returns; any thread must be able to use it, so no confined arena
     * @param callback is called once, with the memory, by the thread of the function, when the
     *     memory is not needed any more; also if the call failed
     * @throws IllegalStateException if the function has no such array, or in a thread that runs no
     *     call, or if memory was registered already
     * @throws IllegalArgumentException if the memory is larger than the server's quota, or confined
     *     to a thread; the callback is not called then
     */
    void registerUserBuffer(MemorySegment memory, @Nullable Consumer<MemorySegment> callback);

    /**
     * Makes memory for the array of this call which comes out and is marked with {@link
     * UserBuffer}, and registers it. Nothing is allocated that is beyond the server's quota.
     *
     * @param bytes how many
     * @return memory that is the call's, cleared; null if there is none, or beyond the quota
     * @throws IllegalStateException as {@link #registerUserBuffer}
     */
    @Nullable MemorySegment allocateUserBuffer(long bytes);

    /**
     * A setting that the one who started the server has made for the plug-in.
     *
     * @param name for example {@code unix.root}
     * @return its value; empty if there is none
     */
    Optional<String> setting(String name);
}

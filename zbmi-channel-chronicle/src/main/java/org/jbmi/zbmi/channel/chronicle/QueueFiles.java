package org.jbmi.zbmi.channel.chronicle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;

/**
 * Whose files the queues of a channel are: Chronicle's on this machine, or those of a simulated
 * world.
 *
 * <p>What fails need not say so in an orderly way. Chronicle maps its files. Where the file system
 * has no room, a store is an {@link InternalError}. It may come late, in the middle of another
 * record or behind one that is complete. After that the library's own checks fail as {@link
 * AssertionError}.
 *
 * <p>Any number of threads may call this at a time; each end of a queue is for one thread.
 */
public interface QueueFiles {
    /**
     * Whether there can be queues.
     *
     * @return empty if there can, else a sentence part that says why not
     */
    Optional<String> unavailabilityReason();

    /**
     * Makes a folder for its owner alone; it must not be there.
     *
     * @throws IOException if it is there, or cannot be made
     */
    void createFolder(Path folder) throws IOException;

    /**
     * Makes an empty file; it must not be there.
     *
     * @throws IOException if it is there, or cannot be made
     */
    void createFile(Path file) throws IOException;

    /** Whether there is a file or a folder of this name. */
    boolean exists(Path path);

    /**
     * What is in a folder.
     *
     * @return the paths of its files and folders, in any order
     * @throws IOException if it cannot be read
     */
    List<Path> list(Path folder) throws IOException;

    /**
     * Removes a folder with all that is in it, if it is there and this user's. Others may remove it
     * at the same time.
     *
     * @throws IOException if something stays, perhaps since another process adds to it
     */
    void remove(Path folder) throws IOException;

    /**
     * Opens a queue at the end; can take a second. A folder that is not there is made.
     *
     * @param folder of the queue
     * @param file number of the file for the next record, asked before each; it never becomes
     *     smaller
     * @return owned by the caller, who closes it
     * @throws IOException if it cannot be opened; nothing stays open then
     */
    QueueWriter writer(Path folder, IntSupplier file) throws IOException;

    /**
     * Opens a queue at the start; can take a second. A folder that is not there is made.
     *
     * @param folder of the queue
     * @param file number of the file of the next record
     * @param mayGo asked of a file that was left: whether it is to be removed
     * @return owned by the caller, who closes it
     * @throws IOException if it cannot be opened; nothing stays open then
     */
    QueueReader reader(Path folder, IntSupplier file, IntPredicate mayGo) throws IOException;

    /** Runs slow work on a thread of its own. */
    Opening begin(Runnable opening);

    /** Work that was begun. */
    interface Opening {
        /**
         * Waits for its end.
         *
         * @param timeoutMs longest wait in milliseconds; an interrupt ends it
         * @return false if it goes on after that time
         */
        boolean await(long timeoutMs);
    }
}

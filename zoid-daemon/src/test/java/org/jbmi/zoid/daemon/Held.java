package org.jbmi.zoid.daemon;

import org.jbmi.zoid.forward.In;
import org.jbmi.zoid.forward.InOut;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.NullOk;
import org.jbmi.zoid.forward.Out;
import org.jbmi.zoid.forward.PluginLifecycle;
import org.jbmi.zoid.forward.Sized;
import org.jbmi.zoid.forward.UserBuffer;
import org.jbmi.zoid.forward.ZeroCopy;
import org.jbmi.zoid.forward.ZoidPlugin;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** A plug-in that holds a call up between its allocator and its function, and that says things. */
@ZoidPlugin(id = 200, name = "held")
public interface Held extends PluginLifecycle {
    /** Takes memory. */
    long keep(@In @Sized("bytes") @ZeroCopy @UserBuffer MemorySegment data, long bytes);

    /** Brings the memory for {@link #keep}. */
    default @Nullable MemorySegment keepAllocate(int bytes) {
        return null;
    }

    /** Gives memory under a lock that its callback opens again; odd sizes are not aligned. */
    long give(@Out @Sized("bytes") @ZeroCopy @UserBuffer MemorySegment data, @InOut LongCell bytes);

    /** How far the arrays are from a multiple of 64 bytes, where the server has put them. */
    long offsets(
            @In @Sized("bytes") @ZeroCopy MemorySegment in,
            @Out @Sized("bytes") @ZeroCopy MemorySegment out,
            long bytes);

    /**
     * Does nothing, or waits until the test lets it go on, or fails with an error.
     *
     * @param what 0, 1, or 2
     * @return whether it ran in a thread of its own
     */
    boolean meet(int what);

    /** Writes to the job's output. */
    int say(int stream, @In String text);

    /** Numbers the elements of an array, if the caller wants them. */
    int number(@Out @Sized("count") @NullOk int @Nullable [] values, int count);

    /** Fills arrays with their indexes, if the caller wants them. */
    int fill(
            @Out @Sized("sizes") @NullOk MemorySegment @Nullable [] rows,
            @In @Sized("count") int[] sizes,
            int count);
}

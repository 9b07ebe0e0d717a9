package org.jbmi.zoid.forward.stub;

import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Locale;

/**
 * A call on the server. The dispatcher reads the arguments and reserves room for the reply. If the
 * reply would be too large, the call fails here, before any array moves and before the function
 * runs. Then the arrays come, the function runs, and the results go back. Not thread-safe.
 */
public abstract class ServedCall extends CallArguments {
    /** Brings memory for an input array. */
    @FunctionalInterface
    public interface Allocator {
        /**
         * Brings memory.
         *
         * @param bytes how much
         * @return the memory, or null if there is none
         */
        @Nullable MemorySegment allocate(int bytes);
    }

    private long reservedBytes;

    /**
     * For subclasses.
     *
     * @param body the arguments
     * @param headerBytes what counts of a reply before anything was written
     * @param limitBytes how large a reply may be
     */
    protected ServedCall(byte[] body, long headerBytes, long limitBytes) {
        super(body, headerBytes, limitBytes);
    }

    /**
     * Checks the size of an array that came, or that is to be made.
     *
     * @param array its name
     * @param count what the size parameter says
     * @return the size
     * @throws ZoidException if it is negative, or larger than any array
     */
    public final long count(String array, long count) {
        if (count < 0 || count > Integer.MAX_VALUE) {
            throw invalid("'%s' cannot have %d elements.".formatted(array, count));
        }
        return count;
    }

    /**
     * Checks that an array that came is as large as its size parameter says.
     *
     * @param array its name
     * @param count what the size parameter says
     * @param came how many elements came
     */
    public final void same(String array, long count, long came) {
        if (count != came) {
            throw invalid("'%s' has %d elements, and not %d.".formatted(array, came, count));
        }
    }

    /**
     * Checks that the size parameter equals the number of sizes, and each size.
     *
     * @param array its name
     * @param sizes the sizes of the inner arrays
     * @param count what the size parameter of the sizes says
     */
    public final void checkSizes(String array, long[] sizes, long count) {
        same(array, count, sizes.length);
        for (long size : sizes) {
            count(array, size);
        }
    }

    /**
     * Checks what a function has made of a size.
     *
     * @param array its name
     * @param count what the size parameter says now
     * @param asked what it said before
     * @return the size
     * @throws ZoidException if it has grown
     */
    public final long shrunk(String array, long count, long asked) {
        if (count < 0 || count > asked) {
            throw new ZoidException(
                    ZoidError.EREMOTEIO,
                    0,
                    String.format(
                            Locale.ROOT,
                            "The function returned %d elements of '%s', of %d.",
                            count,
                            array,
                            asked));
        }
        return count;
    }

    /**
     * Checks what a function has made of the sizes of inner arrays.
     *
     * @param array its name
     * @param counts what the sizes are now
     * @param asked what they were before
     * @return the sizes
     */
    public final long[] shrunk(String array, long[] counts, long[] asked) {
        for (int i = 0; i < asked.length; i++) {
            shrunk(array, counts[i], asked[i]);
        }
        return counts;
    }

    /**
     * Counts inner arrays that the reply is to hold.
     *
     * @param counts how many elements each has
     * @param elementBytes how large an element is
     */
    public final void reserve(long[] counts, int elementBytes) {
        for (long count : counts) {
            reserve(count, elementBytes);
        }
    }

    /**
     * Counts an array that the reply is to hold.
     *
     * @param count how many elements
     * @param elementBytes how large each is
     */
    public final void reserve(long count, int elementBytes) {
        reservedBytes = Math.addExact(reservedBytes, Math.multiplyExact(count, elementBytes));
    }

    /**
     * Checks, after the last argument, that the reply will not be too large, and takes memory for
     * it. No array has moved and the function has not run.
     *
     * @throws ZoidException with {@link ZoidError#E2BIG} if the reply would be too large
     */
    public final void admit() {
        in.end();
        add(reservedBytes);
        long excess = excessBytes();
        add(-reservedBytes);
        if (excess > 0) {
            throw new ZoidException(
                    ZoidError.E2BIG,
                    excess,
                    "The reply would be " + excess + " bytes larger than a message may be.");
        }
        admitted(reservedBytes);
    }

    /**
     * Takes the memory that the reply needs.
     *
     * @param bytes how much was reserved
     */
    protected abstract void admitted(long bytes);

    /**
     * Says that the function begins: from now on memory that an allocator brought is the plug-in's.
     *
     * @throws ZoidException if nobody wants its result any more
     */
    public abstract void start();

    /** Says that the function has returned: what fails from now on is not the function. */
    public abstract void returned();

    /**
     * Pulls the input array with {@code @ZeroCopy} from the client.
     *
     * @param bytes how large it is
     * @return memory of the server that holds it until the call is over
     */
    public abstract MemorySegment pull(long bytes);

    /**
     * Pulls the input array with {@code @ZeroCopy} from the client into memory of the plug-in.
     *
     * @param bytes how large it is
     * @param allocator is asked first; if it has no memory nothing moves
     * @return the memory, which is the plug-in's
     */
    public abstract MemorySegment pull(long bytes, Allocator allocator);

    /**
     * Pulls inner input arrays with {@code @ZeroCopy} from the client.
     *
     * @param counts how many elements each has
     * @param elementBytes how large an element is
     * @return memory of the server that holds them until the call is over
     */
    public final MemorySegment[] pull(long[] counts, int elementBytes) {
        return split(pull(total(counts) * elementBytes), counts, elementBytes);
    }

    /**
     * Lends memory for an output array with {@code @ZeroCopy}.
     *
     * @param bytes how large it is
     * @return memory, until the call is over; cleared
     */
    public abstract MemorySegment lend(long bytes);

    /**
     * Lends memory for inner output arrays with {@code @ZeroCopy}.
     *
     * @param counts how many elements each has
     * @param elementBytes how large an element is
     * @return memory, until the call is over
     */
    public final MemorySegment[] lend(long[] counts, int elementBytes) {
        return split(lend(total(counts) * elementBytes), counts, elementBytes);
    }

    /**
     * Pushes the output array with {@code @ZeroCopy} to the client.
     *
     * @param memory its beginning is sent
     * @param bytes how many bytes
     */
    public final void push(MemorySegment memory, long bytes) {
        push(0, memory.asSlice(0, bytes));
    }

    /**
     * Pushes inner output arrays with {@code @ZeroCopy} to the client.
     *
     * @param inner their memory
     * @param counts how many elements of each are sent
     * @param asked how many elements each has on the client
     * @param elementBytes how large an element is
     */
    public final void push(MemorySegment[] inner, long[] counts, long[] asked, int elementBytes) {
        long offset = 0;
        for (int i = 0; i < inner.length; i++) {
            push(offset, inner[i].asSlice(0, counts[i] * elementBytes));
            offset += asked[i] * elementBytes;
        }
    }

    /**
     * Pushes bytes into the client's memory of the output array with {@code @ZeroCopy}.
     *
     * @param offset where in it
     * @param memory what is sent
     */
    protected abstract void push(long offset, MemorySegment memory);

    /** Says that the function has an array whose memory it registers itself. */
    public abstract void expectUserBuffer();

    /**
     * Sends what was registered.
     *
     * @param bytes how many bytes
     */
    public abstract void pushUserBuffer(long bytes);

    private static long total(long[] counts) {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        return total;
    }

    private static MemorySegment[] split(MemorySegment all, long[] counts, int elementBytes) {
        MemorySegment[] inner = new MemorySegment[counts.length];
        long offset = 0;
        for (int i = 0; i < inner.length; i++) {
            inner[i] = all.asSlice(offset, counts[i] * elementBytes);
            offset += counts[i] * elementBytes;
        }
        return inner;
    }

    private static ZoidException invalid(String sentence) {
        return new ZoidException(ZoidError.EINVAL, 0, sentence);
    }
}

package org.jbmi.zoid.plugins.test;

import org.jbmi.shipper.codec.Shipped;
import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.DoubleCell;
import org.jbmi.zoid.forward.In;
import org.jbmi.zoid.forward.InOut;
import org.jbmi.zoid.forward.IntCell;
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

/**
 * The functions of test.h.
 *
 * <p>The header also names what an implementation overrides: {@link #init} (there {@code
 * test_init}), {@link #fini} (there {@code test_fini}), {@link #proc} (there {@code test_proc}).
 */
@ZoidPlugin(id = 4, name = "test")
public interface Test extends PluginLifecycle {
    /** {@code void test_null()} */
    void null_();

    /** {@code int test_add(int a, int b)} */
    int add(int a, int b);

    /**
     * {@code double test_scalars(int8_t b, short s, int i, int64_t l, float f, double d, bool
     * flag)}
     */
    double scalars(byte b, short s, int i, long l, float f, double d, boolean flag);

    /** {@code int test_upper(char *text, char *upper)} */
    int upper(@In @NullOk @Nullable String text, @Out Cell<String> upper);

    /** {@code int test_count(int *counter, double *half)} */
    int count(@InOut IntCell counter, @Out @NullOk @Nullable DoubleCell half);

    /** {@code int test_scale(test_point_t *point, double factor, test_point_t *scaled)} */
    int scale(@In TestPoint point, double factor, @Out Cell<TestPoint> scaled);

    /** {@code int64_t test_sum(int *values, int count)} */
    long sum(@In @Sized("count") @NullOk int @Nullable [] values, int count);

    /** {@code int test_iota(int *values, size_t *count, int most)} */
    int iota(@Out @Sized("count") int[] values, @InOut LongCell count, int most);

    /** {@code int test_square(double *values, int count)} */
    int square(@InOut @Sized("count") double[] values, int count);

    /** {@code double test_centre(test_point_t *points, int count)} */
    double centre(@In @Sized("count") TestPoint[] points, int count);

    /** {@code int64_t test_sum_rows(int64_t **rows, int *sizes, int count)} */
    long sumRows(@In @Sized("sizes") long[][] rows, @In @Sized("count") int[] sizes, int count);

    /** {@code int test_fill_rows(char **rows, int *sizes, int count)} */
    int fillRows(
            @Out @Sized("sizes") MemorySegment[] rows,
            @InOut @Sized("count") int[] sizes,
            int count);

    /** {@code int test_fill_large_rows(void **rows, int *sizes, int count)} */
    int fillLargeRows(
            @Out @Sized("sizes") @ZeroCopy MemorySegment[] rows,
            @InOut @Sized("count") int[] sizes,
            int count);

    /** {@code int64_t test_checksum(void *data, size_t length)} */
    long checksum(@In @Sized("length") @ZeroCopy MemorySegment data, long length);

    /** {@code int64_t test_pattern(void *data, size_t *length, int seed, size_t most)} */
    long pattern(
            @Out @Sized("length") @ZeroCopy MemorySegment data,
            @InOut LongCell length,
            int seed,
            long most);

    /** {@code int64_t test_keep(void *data, size_t length)} */
    long keep(@In @Sized("length") @ZeroCopy @UserBuffer MemorySegment data, long length);

    /**
     * Brings the memory for {@code data} of {@link #keep}, before its bytes move.
     *
     * @param bytes how many bytes it must have
     * @return the memory, or null if there is none: then the call fails with ENOMEM
     */
    default @Nullable MemorySegment keepAllocate(int bytes) {
        return null;
    }

    /** {@code int64_t test_give(void *data, size_t *length, int seed)} */
    long give(
            @Out @Sized("length") @ZeroCopy @UserBuffer MemorySegment data,
            @InOut LongCell length,
            int seed);

    /** {@code int test_process()} */
    int process();

    /** {@code int test_say(int stream, char *text)} */
    int say(int stream, @In String text);

    /** {@code void test_wait(int milliseconds)} */
    void wait_(int milliseconds);

    /** {@code void test_fail(char *words)} */
    void fail(@In String words);

    /** {@code int test_held()} */
    int held();

    /** A structure of the header. */
    @Shipped
    record TestPoint(int x, int y, double weight) {}
}

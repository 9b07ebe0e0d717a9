package org.jbmi.zoid.plugins.test;

import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.DoubleCell;
import org.jbmi.zoid.forward.IntCell;
import org.jbmi.zoid.forward.JobDescription;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.PluginServices;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** The functions; it also records the events that the server reports to it. */
public final class TestFunctions implements Test {
    private static final int MOST_BYTES = 64 << 20;

    private final PluginServices services;
    private final AtomicInteger held = new AtomicInteger();
    private final List<String> told = new CopyOnWriteArrayList<>();

    /** Makes the plug-in. */
    public TestFunctions(PluginServices services) {
        this.services = services;
    }

    /**
     * The events that the server has reported, for tests.
     *
     * @return for example {@code init 4 program} or {@code proc 1 7}, in order
     */
    public List<String> told() {
        return List.copyOf(told);
    }

    @Override
    public void init(JobDescription job) {
        told.add("init " + job.processCount() + " " + job.executable());
    }

    @Override
    public void fini() {
        told.add("fini");
    }

    @Override
    public void proc(boolean added, int processId) {
        told.add("proc " + (added ? 1 : 0) + " " + processId);
    }

    @Override
    public void abandoned(MemorySegment memory) {
        held.decrementAndGet();
        told.add("abandoned " + memory.byteSize());
    }

    @Override
    public void null_() {}

    @Override
    public int add(int a, int b) {
        return a + b;
    }

    @Override
    public double scalars(byte b, short s, int i, long l, float f, double d, boolean flag) {
        double sum = (double) b + s + i + l + f + d;
        return flag ? sum : -sum;
    }

    @Override
    public int upper(@Nullable String text, Cell<String> upper) {
        if (text == null) {
            return -1;
        }
        upper.set(text.toUpperCase(Locale.ROOT));
        return text.length();
    }

    @Override
    public int count(IntCell counter, @Nullable DoubleCell half) {
        counter.set(counter.get() + 1);
        if (half != null) {
            half.set(counter.get() / 2.0);
        }
        return half == null ? 0 : 1;
    }

    @Override
    public int scale(TestPoint point, double factor, Cell<TestPoint> scaled) {
        scaled.set(
                new TestPoint(
                        (int) (point.x() * factor),
                        (int) (point.y() * factor),
                        point.weight() * factor));
        return 0;
    }

    @Override
    public long sum(int @Nullable [] values, int count) {
        if (values == null) {
            return -1;
        }
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += values[i];
        }
        return sum;
    }

    @Override
    public int iota(int[] values, LongCell count, int most) {
        int filled = (int) Math.min(count.get(), most);
        for (int i = 0; i < filled; i++) {
            values[i] = i;
        }
        count.set(filled);
        return filled;
    }

    @Override
    public int square(double[] values, int count) {
        for (int i = 0; i < count; i++) {
            values[i] *= values[i];
        }
        return count;
    }

    @Override
    public double centre(TestPoint[] points, int count) {
        double sum = 0;
        double weight = 0;
        for (TestPoint point : points) {
            sum += point.x() * point.weight();
            weight += point.weight();
        }
        return sum / weight;
    }

    @Override
    public long sumRows(long[][] rows, int[] sizes, int count) {
        long sum = 0;
        for (long[] row : rows) {
            for (long value : row) {
                sum += value;
            }
        }
        return sum;
    }

    @Override
    public int fillRows(MemorySegment[] rows, int[] sizes, int count) {
        for (int i = 0; i < count; i++) {
            rows[i].fill((byte) i);
            sizes[i] /= 2;
        }
        return count;
    }

    @Override
    public int fillLargeRows(MemorySegment[] rows, int[] sizes, int count) {
        return fillRows(rows, sizes, count);
    }

    @Override
    public long checksum(MemorySegment data, long length) {
        return checksumOf(data);
    }

    @Override
    public long pattern(MemorySegment data, LongCell length, int seed, long most) {
        long filled = Math.min(most, length.get());
        fill(data.asSlice(0, filled), seed);
        length.set(filled);
        return filled;
    }

    @Override
    public @Nullable MemorySegment keepAllocate(int bytes) {
        if (bytes > MOST_BYTES) {
            return null;
        }
        held.incrementAndGet();
        return Arena.ofAuto().allocate(bytes);
    }

    @Override
    public long keep(MemorySegment data, long length) {
        held.decrementAndGet();
        return checksumOf(data.asSlice(0, length));
    }

    @Override
    public long give(MemorySegment data, LongCell length, int seed) {
        MemorySegment own = Arena.ofAuto().allocate(Math.max(1, length.get()));
        held.incrementAndGet();
        int process = services.callingProcess();
        services.registerUserBuffer(own, _ -> sent(process));
        fill(own.asSlice(0, length.get()), seed);
        return length.get();
    }

    private void sent(int process) {
        held.decrementAndGet();
        told.add("sent " + (services.callingProcess() == process));
    }

    @Override
    public int process() {
        return services.callingProcess();
    }

    @Override
    public int say(int stream, String text) {
        return services.sendOutput(
                services.callingProcess(), stream, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void wait_(int milliseconds) {
        told.add("waits");
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void fail(String words) {
        throw new IllegalStateException(words);
    }

    @Override
    public int held() {
        return held.get();
    }

    /**
     * The checksum of the functions.
     *
     * @param data any bytes
     */
    public static long checksumOf(MemorySegment data) {
        long sum = data.byteSize();
        for (long i = 0; i < data.byteSize(); i++) {
            sum = sum * 31 + data.get(ValueLayout.JAVA_BYTE, i);
        }
        return sum;
    }

    /** The pattern of the functions. */
    public static void fill(MemorySegment data, int seed) {
        for (long i = 0; i < data.byteSize(); i++) {
            data.set(ValueLayout.JAVA_BYTE, i, (byte) (seed + i * 7));
        }
    }
}

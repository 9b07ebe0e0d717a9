package org.jbmi.benchmarks;

import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireHeader;
import org.jbmi.tcp.wire.WireMode;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/** The cost of the header of a tcp message: to write, read and check it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class HeaderBenchmark {
    private static final int ROOM = 4096;
    private static final long MAX_BYTES = 1 << 20;

    /** The dialect. */
    @Param public Dialect dialect = Dialect.STANDALONE;

    private final ByteBuffer wire = ByteBuffer.allocateDirect(ROOM).order(ByteOrder.LITTLE_ENDIAN);
    private final WireHeader header = new WireHeader();
    private int tag;

    /** Writes and reads one header. */
    @Benchmark
    public boolean writeAndRead() {
        wire.clear();
        dialect.write(wire, WireMode.UNEXPECTED, tag++, 0, 64, 0);
        return dialect.read(wire, 0, header) && header.isAllowed(MAX_BYTES, MAX_BYTES);
    }
}

package org.jbmi.benchmarks;

import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireHeader;
import org.jbmi.tcp.wire.WireMode;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The cost of the header of a tcp message: to write, read and check it. */
public class HeaderBenchmark extends AverageTimes {
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

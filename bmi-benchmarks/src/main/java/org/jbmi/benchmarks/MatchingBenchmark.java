package org.jbmi.benchmarks;

import org.jbmi.spi.MatchTable;
import org.jbmi.spi.Operation;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The cost of finding the partner of a message among others that wait. */
@SuppressWarnings("NullAway.Init") // JMH calls the set-up method before anything else
public class MatchingBenchmark extends AverageTimes {
    private static final long PEER = 3;

    /** The number of tags with a waiting operation. */
    @Param({"1", "10000"})
    public int waiting;

    private MatchTable table;
    private Operation operation;
    private int tag;

    /** An operation without an instance. */
    private static final class Lone extends Operation {}

    /** Fills the table. */
    @Setup(Level.Trial)
    public void fill() {
        table = new MatchTable();
        operation = new Lone();
        for (int i = 0; i < waiting; i++) {
            table.findOrAdd(PEER, i).receives().addLast(new Lone());
        }
    }

    /** Adds an operation under a tag of its own, finds it and removes it. */
    @Benchmark
    public boolean addFindRemove() {
        tag = (tag + 1) & 0xffff;
        MatchTable.Entry entry = table.findOrAdd(PEER, waiting + tag);
        entry.sends().addLast(operation);
        MatchTable.Entry found = table.findOrAdd(PEER, waiting + tag);
        found.sends().remove(operation);
        return table.recycleIfEmpty(found);
    }
}

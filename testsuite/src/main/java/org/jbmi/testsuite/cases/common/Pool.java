package org.jbmi.testsuite.cases.common;

import org.jbmi.testsuite.ConformanceFailure;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Scene;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/** A server's pool, used up by the case. */
public final class Pool {
    /** The size that cases with a pool of their own ask for, in bytes. */
    public static final long BYTES = 4L << 20;

    private static final long SMALLEST = 64;

    private final End server;
    private final Deque<MemorySegment> blocks = new ArrayDeque<>();

    private Pool(End server) {
        this.server = server;
    }

    /** Takes all there is, in blocks of a mebibyte as long as they fit. */
    public static Pool full(End server) {
        Pool pool = new Pool(server);
        for (long size = 1 << 20; size >= SMALLEST; size /= 2) {
            MemorySegment block;
            while ((block = server.peer().allocate(size)) != null) {
                pool.blocks.addLast(block);
            }
        }
        return pool;
    }

    /** {@return how many blocks it has taken and not freed} */
    public int blocks() {
        return blocks.size();
    }

    /** Frees one of the largest blocks. */
    public void freeOne() {
        server.bmi().free(blocks.removeFirst());
    }

    /** Frees them all. */
    public void freeAll() {
        while (!blocks.isEmpty()) {
            freeOne();
        }
    }

    /** {@return how long it took to free each of them, in nanoseconds} */
    public long[] freeAllTimed() {
        long[] tookNs = new long[blocks.size()];
        for (int i = 0; i < tookNs.length; i++) {
            long startNs = System.nanoTime();
            freeOne();
            tookNs[i] = System.nanoTime() - startNs;
        }
        return tookNs;
    }

    /**
     * Fails unless nothing of the pool is in use.
     *
     * @param scene that knows the size of the pool
     */
    public static void expectWhole(Scene scene, End server) {
        long bytes = scene.environment().serverPoolBytes();
        @Nullable MemorySegment[] whole = new MemorySegment[1];
        Expect.eventually(
                () -> (whole[0] = server.peer().allocate(bytes)) != null,
                "all of the pool is free");
        MemorySegment memory = whole[0];
        if (memory == null) {
            throw new ConformanceFailure("The pool gave nothing.");
        }
        server.bmi().free(memory);
    }
}

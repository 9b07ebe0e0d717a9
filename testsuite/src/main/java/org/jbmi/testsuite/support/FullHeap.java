package org.jbmi.testsuite.support;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** For tests of what a program gets while its JVM has no memory left: programs of their own. */
public final class FullHeap {
    private static final long PATIENCE_S = 20;

    private FullHeap() {}

    /**
     * Runs a program in a JVM with a small heap.
     *
     * @param main its class; it prints less than a pipe holds, which nobody reads meanwhile
     * @param heap how large it is, as in {@code 16m}
     * @return what it prints
     * @throws IOException if it cannot be started
     * @throws InterruptedException if the caller is interrupted; the program is killed
     * @throws IllegalStateException if it does not end in time; it is killed
     */
    public static String outputOf(Class<?> main, String heap)
            throws IOException, InterruptedException {
        Process child = ChildJvm.start(main, List.of("-Xmx" + heap));
        try {
            // A read would wait for a program that hangs.
            if (!child.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The program does not end.");
            }
            return new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    /**
     * Takes all memory of the heap but pieces of less than two references.
     *
     * @return what holds it; the heap stays full while the caller keeps it
     */
    public static Object fill() {
        Object[] last = {};
        for (int size = 1 << 16; size > 1; size /= 2) {
            try {
                while (true) {
                    Object[] next = new Object[size];
                    next[0] = last;
                    last = next;
                }
            } catch (OutOfMemoryError e) {
                // No array of this size is left.
            }
        }
        return last;
    }
}

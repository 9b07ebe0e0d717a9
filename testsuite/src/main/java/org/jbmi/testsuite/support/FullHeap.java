package org.jbmi.testsuite.support;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** For tests of what a program gets while its JVM has no memory left: programs of their own. */
public final class FullHeap {
    private static final long PATIENCE_S = 50;

    private FullHeap() {}

    /**
     * Runs a program in a JVM with a small heap, for at most 50 s.
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
        return outputOf(main, heap, PATIENCE_S);
    }

    /**
     * Runs a program in a JVM with a small heap and further options, for at most 50 s.
     *
     * @param main its class; it prints less than a pipe holds, which nobody reads meanwhile
     * @param heap how large it is, as in {@code 16m}
     * @param options of the virtual machine
     * @return what it prints
     * @throws IOException if it cannot be started
     * @throws InterruptedException if the caller is interrupted; the program is killed
     * @throws IllegalStateException if it does not end in time; it is killed
     */
    public static String outputOf(Class<?> main, String heap, List<String> options)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(options);
        all.add("-Xmx" + heap);
        return outputOf(ChildJvm.start(main, all), PATIENCE_S);
    }

    /**
     * Runs a program with arguments in a JVM with a small heap.
     *
     * @param main its class; it prints less than a pipe holds, which nobody reads meanwhile
     * @param heap how large it is, as in {@code 16m}
     * @param patienceS how long it may take, in seconds
     * @param arguments those of the program
     * @return what it prints
     * @throws IOException if it cannot be started
     * @throws InterruptedException if the caller is interrupted; the program is killed
     * @throws IllegalStateException if it does not end in time; it is killed
     */
    public static String outputOf(Class<?> main, String heap, long patienceS, String... arguments)
            throws IOException, InterruptedException {
        return outputOf(ChildJvm.start(main, List.of("-Xmx" + heap), arguments), patienceS);
    }

    private static String outputOf(Process child, long patienceS)
            throws IOException, InterruptedException {
        try {
            // A read would wait for a program that hangs.
            if (!child.waitFor(patienceS, TimeUnit.SECONDS)) {
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
    @SuppressWarnings("NullAway") // a check of the result would find no memory for its first call
    public static Object fill() {
        return fill(1 << 16, 2);
    }

    /**
     * Takes memory of the heap in arrays of one length and then of shorter ones, until none of the
     * last length fits.
     *
     * @param longest the length of the first ones, in references
     * @param shortest the length of the last ones, at least 1
     * @return the last array, whose first element is the one before it, and so on; null if there
     *     was no memory for one
     */
    public static @Nullable Object @Nullable [] fill(int longest, int shortest) {
        @Nullable Object[] last = null;
        for (int size = longest; size >= shortest; size /= 2) {
            try {
                while (true) {
                    @Nullable Object[] next = new @Nullable Object[size];
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

package org.jbmi.architecture.guilty;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Keeps static state in every way that one might think of, and some that are fine. */
public final class KeepsState {

    /** The names of those below that hold something mutable. */
    public static final List<String> GUILTY_FIELDS =
            List.of(
                    "counter",
                    "LIST",
                    "MAP",
                    "ATOMIC",
                    "OPEN_ARRAY",
                    "WRITTEN_ARRAY",
                    "LENT_ARRAY",
                    "HOLDING_ARRAY",
                    "LOCAL",
                    "HOLDER",
                    "HIDDEN",
                    "CAPTURED",
                    "MEMORY",
                    "SWITCH");

    static int counter;

    static final List<String> LIST = new ArrayList<>();
    static final Map<String, String> MAP = new HashMap<>();
    static final AtomicLong ATOMIC = new AtomicLong();
    static final int[] OPEN_ARRAY = {1};
    private static final int[] WRITTEN_ARRAY = {1};
    private static final int[] LENT_ARRAY = {1};
    private static final AtomicLong[] HOLDING_ARRAY = {new AtomicLong()};
    static final ThreadLocal<String> LOCAL = new ThreadLocal<>();
    static final Holder HOLDER = new Holder();
    static final Optional<List<AtomicLong>> HIDDEN = Optional.of(List.of(new AtomicLong()));
    static final Supplier<List<String>> CAPTURED = capturing(new ArrayList<>());
    static final MemorySegment MEMORY = Arena.global().allocate(8);

    static final Switch SWITCH = Switch.ONLY;

    static final List<String> FINE_LIST = List.of("a");
    static final Supplier<List<String>> FINE_CAPTURED = capturing(List.of());
    private static final int[] FINE_ARRAY = {1, 2};
    private static final String[] FINE_STRINGS = {"a"};
    static final String FINE_STRING = "a";
    static final TimeUnit FINE_UNIT = TimeUnit.SECONDS;

    private KeepsState() {}

    /**
     * Counts.
     *
     * @return how often
     */
    public static int count() {
        WRITTEN_ARRAY[0]++;
        return WRITTEN_ARRAY[0];
    }

    /**
     * Lends.
     *
     * @return what anybody may write to
     */
    public static int[] lend() {
        return LENT_ARRAY;
    }

    /**
     * Reads, as anybody may.
     *
     * @return a sum
     */
    public static long read() {
        long sum = FINE_STRINGS[0].length() + HOLDING_ARRAY[0].get();
        for (int element : FINE_ARRAY) {
            sum += element;
        }
        return sum;
    }

    private static Supplier<List<String>> capturing(List<String> captured) {
        return () -> captured;
    }

    /** A constant with a field that is not final. */
    enum Switch {
        ONLY;

        boolean on;
    }

    /** A thing with a field that is not final. */
    static final class Holder {
        int count;
    }
}

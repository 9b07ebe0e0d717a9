package org.jbmi.rig.perf.command;

import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.table.CallTable;
import org.jbmi.rig.perf.table.ClientsTable;
import org.jbmi.rig.perf.table.PendingTable;
import org.jbmi.rig.perf.table.PerfTable;
import org.jbmi.rig.perf.table.StreamTable;
import org.jbmi.rig.perf.table.TableRuns;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The options of {@code bmi perf} that make a table of many measurements. */
final class TableOptions {
    private static final int MAX_CLIENTS = 4096;
    private static final int MAX_PENDING = 200_000;
    private static final List<String> ROWS = List.of("tcp", "zoid", "loopback", CallTable.NAME);

    /** What changes from row to row. */
    enum By {
        /** The number of connections. */
        CLIENTS,
        /** The number of pending receives. */
        PENDING,
        /** The size of large messages. */
        BYTES;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--table",
            description =
                    "Measure the targets of docs/performance.md in some ten minutes, and print a"
                            + " table. TARGET chooses the rows of one method. With TARGET calls it"
                            + " compares calls of plug-ins, calls of the shipper, and RPCs.")
    private boolean targets;

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            converter = PerfWords.ByConverter.class,
            description =
                    "Print a table by the number of clients, of pending receives, or by the bytes"
                            + " of a message (tcp): clients, pending, bytes. Of the other options"
                            + " --seconds, --rounds, --warm-up, --counts and --plot apply.")
    private @Nullable By by;

    @Option(
            names = "--counts",
            paramLabel = "N,N",
            description = "For --by: the numbers, such as 1,16,64 or 64k,1m, the smallest first.")
    private @Nullable String counts;

    /** Whether the user wants a table. */
    boolean isAskedFor() {
        return targets || by != null;
    }

    /** Fails with a message if the options do not fit together. */
    void check(String method) {
        if (by == null && counts != null) {
            throw new IllegalArgumentException("--counts is for --by");
        }
        if (by != null && targets) {
            throw new IllegalArgumentException("--table and --by are two tables");
        }
        if (targets && !method.isEmpty() && !ROWS.contains(method)) {
            throw new IllegalArgumentException(
                    "--table has no rows of '" + method + "', only of " + String.join(", ", ROWS));
        }
        if (by != null) {
            Set<String> known = by == By.BYTES ? Set.of("", "tcp") : Set.of("", "tcp", "zoid");
            if (!known.contains(method)) {
                throw new IllegalArgumentException(
                        "--by " + by + " has no rows of '" + method + "'");
            }
            numbers(by);
        }
    }

    /** Measures and prints. */
    void print(TableRuns runs, String method, PerfPlan.Times times, @Nullable Path plot)
            throws IOException, InterruptedException {
        By what = by;
        if (what == null && method.equals(CallTable.NAME)) {
            new CallTable(runs).print();
            return;
        }
        if (what == null) {
            new PerfTable(runs).print(method);
            return;
        }
        List<Integer> numbers = numbers(what);
        String picture =
                switch (what) {
                    case CLIENTS -> new ClientsTable(runs, times).print(method, numbers);
                    case PENDING -> new PendingTable(runs, times).print(method, numbers);
                    case BYTES -> new StreamTable(runs, times).print(numbers);
                };
        if (plot != null) {
            Files.writeString(plot, picture);
        }
    }

    private List<Integer> numbers(By what) {
        if (counts == null) {
            return switch (what) {
                case CLIENTS -> ClientsTable.COUNTS;
                case PENDING -> PendingTable.COUNTS;
                case BYTES -> StreamTable.SIZES;
            };
        }
        List<Integer> numbers = new ArrayList<>();
        for (String word : counts.split(",", -1)) {
            int number = number(word, what);
            if (!numbers.isEmpty() && number <= numbers.getLast()) {
                throw new IllegalArgumentException("--counts rises, unlike '" + counts + "'");
            }
            numbers.add(number);
        }
        return numbers;
    }

    private static int number(String word, By what) {
        if (what == By.BYTES) {
            return ByteSizes.parse(word).all().getFirst();
        }
        boolean ofClients = what == By.CLIENTS;
        int most = ofClients ? MAX_CLIENTS : MAX_PENDING;
        int least = ofClients ? 1 : PerfPlan.Peers.FEW + 1;
        try {
            int number = Integer.parseInt(word);
            Numbers.between("counts", number, least, most);
            return number;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + word + "' is not a number for --counts", e);
        }
    }
}

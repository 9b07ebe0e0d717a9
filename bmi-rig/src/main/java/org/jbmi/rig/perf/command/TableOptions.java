package org.jbmi.rig.perf.command;

import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.table.CallTable;
import org.jbmi.rig.perf.table.ClientsTable;
import org.jbmi.rig.perf.table.KeptRows;
import org.jbmi.rig.perf.table.PendingTable;
import org.jbmi.rig.perf.table.PerfTable;
import org.jbmi.rig.perf.table.StreamTable;
import org.jbmi.rig.perf.table.TableRuns;
import org.jbmi.tools.cli.ToolException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/** The options of {@code bmi perf} that make a table of many measurements. */
final class TableOptions {
    private static final int MAX_CLIENTS = 4096;
    private static final int MAX_PENDING = 200_000;
    private static final double MAX_ROW_SECONDS = 3600;
    private static final double MS_PER_SECOND = 1000;
    private static final List<String> ROWS = List.of("tcp", "zoid", "loopback", CallTable.NAME);

    private static final Set<String> TARGET_OPTIONS = Set.of("--table", "--verbose");
    private static final Set<String> BY_OPTIONS =
            Set.of(
                    "--by",
                    "--counts",
                    "--row-limit",
                    "--keep",
                    "--kept",
                    "--plot",
                    "--seconds",
                    "--rounds",
                    "--warm-up",
                    "--verbose");

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
                            + " --seconds, --rounds, --warm-up, --counts, --row-limit, --keep,"
                            + " --kept and --plot apply.")
    private @Nullable By by;

    @Option(
            names = "--counts",
            paramLabel = "N,N",
            description = "For --by: the numbers, such as 1,16,64 or 64k,1m, the smallest first.")
    private @Nullable String counts;

    @Option(
            names = "--row-limit",
            paramLabel = "S",
            defaultValue = "120",
            description =
                    "For --by: the longest time of a row. A row that needs more is ended, and the"
                            + " table goes on without it; default: ${DEFAULT-VALUE}.")
    private double rowLimit;

    @Option(
            names = "--keep",
            paramLabel = "FILE",
            description =
                    "For --by: append each row to a file when it is measured, as a line of JSON.")
    private @Nullable Path keep;

    @Option(
            names = "--kept",
            paramLabel = "FILE",
            description =
                    "For --by: measure nothing; print and draw the rows that --keep wrote. If a row"
                            + " occurs twice, the later one counts.")
    private @Nullable Path kept;

    /** Whether the user wants a table. */
    boolean isAskedFor() {
        return targets || by != null;
    }

    /** Fails with a message if the options do not fit together. */
    void check(String method) {
        if (by == null && (counts != null || keep != null || kept != null)) {
            throw new IllegalArgumentException("--counts, --keep and --kept are for --by");
        }
        if (keep != null && kept != null) {
            throw new IllegalArgumentException("--keep writes rows, --kept reads them: not both");
        }
        if (!(rowLimit >= 1 && rowLimit <= MAX_ROW_SECONDS)) {
            throw new IllegalArgumentException(
                    "--row-limit goes from 1 to " + (int) MAX_ROW_SECONDS);
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
            numbers(by, null);
        }
    }

    /** Fails with a message if there are options that a table does not look at. */
    void checkOptions(ParseResult given) {
        if (!isAskedFor()) {
            return;
        }
        Set<String> known = by == null ? TARGET_OPTIONS : BY_OPTIONS;
        for (OptionSpec option : given.matchedOptions()) {
            if (!known.contains(option.longestName())) {
                throw new IllegalArgumentException(
                        (by == null ? "--table" : "--by")
                                + " has its own measurements: "
                                + option.longestName()
                                + " does not apply");
            }
        }
    }

    /** The file that rows are appended to; null if there is none. */
    @Nullable Path keep() {
        return keep;
    }

    private TableRuns.Bounds bounds(Consumer<String> notices) throws IOException, ToolException {
        if (by == null) {
            return TableRuns.Bounds.none();
        }
        long rowMillis = (long) (rowLimit * MS_PER_SECOND);
        if (kept == null) {
            return new TableRuns.Bounds(rowMillis, KeptRows.to(keep), false);
        }
        try {
            return new TableRuns.Bounds(rowMillis, KeptRows.of(kept, notices), true);
        } catch (IllegalArgumentException e) {
            throw new ToolException(kept + ": " + e.getMessage(), e);
        }
    }

    /** Measures and prints. */
    void print(TableRuns.Output output, String method, PerfPlan.Times times, @Nullable Path plot)
            throws IOException, ToolException, InterruptedException {
        By what = by;
        TableRuns.Bounds bounds = bounds(output.notices());
        TableRuns runs = new TableRuns(output, bounds);
        if (what == null && method.equals(CallTable.NAME)) {
            new CallTable(runs).print();
            return;
        }
        if (what == null) {
            new PerfTable(runs).print(method);
            return;
        }
        List<Integer> numbers = numbers(what, bounds.onlyKept() ? bounds.kept() : null);
        if (numbers.isEmpty()) {
            throw new ToolException(kept + " has no rows of --by " + what + ".");
        }
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

    private List<Integer> numbers(By what, @Nullable KeptRows rows) {
        if (counts == null && rows != null) {
            return rows.counts(what.toString());
        }
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
            int bytes = ByteSizes.parse(word).all().getFirst();
            if (bytes % StreamTable.KIB != 0) { // the rows bear the number of KiB
                throw new IllegalArgumentException(
                        "--counts are whole KiB for --by bytes, unlike '" + word + "'");
            }
            return bytes;
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

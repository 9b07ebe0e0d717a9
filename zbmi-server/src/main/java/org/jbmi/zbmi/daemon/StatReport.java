package org.jbmi.zbmi.daemon;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.observe.CountersReader;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.SessionCounters;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A daemon's traffic as ZOID's {@code statquery} printed it, read from outside while the daemon
 * runs. Sent and received are the daemon's view: received is what came from clients. The totals are
 * the sums of the categories. Only two of these are ever other than zero here: the daemon's own
 * control messages, and zbmi, which is plug-in number 6.
 *
 * @param seconds seconds since 1970
 * @param microseconds of that second
 * @param categories all but the total
 */
public record StatReport(long seconds, int microseconds, List<Category> categories) {
    /** The number of the zbmi plug-in. */
    public static final int ZBMI_PLUGIN = 6;

    static final String ZBMI_PREFIX = "zbmi.";

    /**
     * One category.
     *
     * @param name for example {@code "Internal"}
     * @param messagesSent toward clients
     * @param bytesSent toward clients
     * @param messagesReceived from clients
     * @param bytesReceived from clients
     * @param sendsOnly whether it has no received side
     */
    public record Category(
            String name,
            long messagesSent,
            long bytesSent,
            long messagesReceived,
            long bytesReceived,
            boolean sendsOnly) {
        static Category empty(String name) {
            return new Category(name, 0, 0, 0, 0, false);
        }

        Category plus(Category other) {
            return new Category(
                    name,
                    messagesSent + other.messagesSent,
                    bytesSent + other.bytesSent,
                    messagesReceived + other.messagesReceived,
                    bytesReceived + other.bytesReceived,
                    false);
        }
    }

    /** Keeps a copy of the list. */
    public StatReport {
        categories = List.copyOf(categories);
    }

    /**
     * Reads the counters of the daemon of a runtime directory.
     *
     * @param directory the daemon's
     * @return its traffic now
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if there are no counters
     */
    public static StatReport read(RuntimeDirectory directory) {
        return of(counters(directory), Instant.now());
    }

    /**
     * Reads all counters of the daemon of a runtime directory. After them it reads those of a
     * server that hosts the engine in memory of that daemon: the same labels once more.
     *
     * @param directory the daemon's
     * @return every counter as it stands now
     * @throws BmiException with {@link ErrorCode#ENETDOWN} if there are no counters
     */
    public static List<CountersReader.Reading> counters(RuntimeDirectory directory) {
        List<CountersReader.Reading> all = new ArrayList<>(readings(directory.counters()));
        Path server = directory.serverCounters();
        if (Files.exists(server, LinkOption.NOFOLLOW_LINKS)) {
            try {
                all.addAll(readings(server));
            } catch (BmiException | UncheckedIOException e) {
                // The server has just ended and removed its file.
                System.getLogger(StatReport.class.getName())
                        .log(System.Logger.Level.DEBUG, "no counters of a server", e);
            }
        }
        return all;
    }

    private static List<CountersReader.Reading> readings(Path file) {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new BmiException(
                    ErrorCode.ENETDOWN,
                    "Neither a daemon nor a server has counters in "
                            + file.getParent()
                            + ": is one running there?");
        }
        try (CountersReader reader = CountersReader.open(file)) {
            return reader.read();
        }
    }

    static StatReport of(List<CountersReader.Reading> readings, Instant now) {
        Map<String, Long> values = new HashMap<>();
        for (CountersReader.Reading reading : readings) {
            values.merge(reading.spec().label(), reading.value(), Long::sum);
        }
        List<Category> categories = new ArrayList<>();
        categories.add(Category.empty("IP fwd"));
        categories.add(Category.empty("Stream"));
        categories.add(new Category("Broadcast", 0, 0, 0, 0, true));
        categories.add(
                new Category(
                        "Internal",
                        value(values, SessionCounters.INTERNAL_SENT),
                        value(values, SessionCounters.INTERNAL_BYTES_SENT),
                        value(values, SessionCounters.INTERNAL_RECEIVED),
                        value(values, SessionCounters.INTERNAL_BYTES_RECEIVED),
                        false));
        categories.add(
                new Category(
                        "Plugin " + ZBMI_PLUGIN,
                        value(values, ZBMI_PREFIX + "messages.received"),
                        value(values, ZBMI_PREFIX + "bytes.received"),
                        value(values, ZBMI_PREFIX + "messages.sent")
                                + value(values, ZBMI_PREFIX + "unexpected.accepted"),
                        value(values, ZBMI_PREFIX + "bytes.sent")
                                + value(values, ZBMI_PREFIX + "unexpected.bytes"),
                        false));
        return new StatReport(now.getEpochSecond(), now.getNano() / 1000, categories);
    }

    private static long value(Map<String, Long> values, String label) {
        return values.getOrDefault(label, 0L);
    }

    /**
     * The sum of all categories.
     *
     * @return named "Total"
     */
    public Category total() {
        Category sum = Category.empty("Total");
        for (Category category : categories) {
            sum = sum.plus(category);
        }
        return sum;
    }

    /**
     * The report as {@code statquery} lays it out.
     *
     * @return lines, each ended
     */
    public String format() {
        StringBuilder text = new StringBuilder();
        line(text, "Timestamp", "%d.%06d".formatted(seconds, microseconds));
        lines(text, total());
        for (Category category : categories) {
            lines(text, category);
        }
        return text.toString();
    }

    private static void lines(StringBuilder text, Category category) {
        line(text, category.name() + " messages sent", category.messagesSent());
        line(text, category.name() + " bytes sent", category.bytesSent());
        if (!category.sendsOnly()) {
            line(text, category.name() + " messages received", category.messagesReceived());
            line(text, category.name() + " bytes received", category.bytesReceived());
        }
    }

    private static void line(StringBuilder text, String label, long value) {
        line(text, label, Long.toUnsignedString(value));
    }

    private static void line(StringBuilder text, String label, String value) {
        text.append("%-32s%s\n".formatted(label + ":", value));
    }
}

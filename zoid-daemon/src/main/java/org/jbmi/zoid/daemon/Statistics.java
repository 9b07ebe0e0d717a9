package org.jbmi.zoid.daemon;

import org.jbmi.shipper.codec.Shipped;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * The counters of a server at one time. All numbers are unsigned, have 64 bits, and wrap around.
 *
 * @param timestampUs when, in microseconds since 1970
 * @param parts messages and bytes of each kind
 */
@Shipped
public record Statistics(long timestampUs, List<Part> parts) {
    private static final int VALUE_COLUMN = 32;
    private static final long US_PER_SECOND = 1_000_000;

    /**
     * Messages and bytes of one kind.
     *
     * @param name for example {@code Plugin 2}
     * @param receives whether messages of this kind are received at all
     * @param sentMessages messages sent
     * @param sentBytes their bytes
     * @param receivedMessages messages received
     * @param receivedBytes their bytes
     * @param unaligned how often memory that a plug-in brought did not begin at a multiple of 16
     *     bytes
     */
    @Shipped
    public record Part(
            String name,
            boolean receives,
            long sentMessages,
            long sentBytes,
            long receivedMessages,
            long receivedBytes,
            long unaligned) {}

    /** Keeps a copy of the list. */
    public Statistics {
        parts = List.copyOf(parts);
    }

    /**
     * The sum of all parts.
     *
     * @return a part with the name {@code Total}
     */
    public Part total() {
        return new Part(
                "Total",
                true,
                sum(Part::sentMessages),
                sum(Part::sentBytes),
                sum(Part::receivedMessages),
                sum(Part::receivedBytes),
                sum(Part::unaligned));
    }

    private long sum(ToLongFunction<Part> value) {
        long sum = 0;
        for (Part part : parts) {
            sum += value.applyAsLong(part);
        }
        return sum;
    }

    /**
     * As {@code statquery} prints it.
     *
     * @return lines, without an end of line each
     */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(
                line(
                        "Timestamp",
                        String.format(
                                Locale.ROOT,
                                "%d.%06d",
                                timestampUs / US_PER_SECOND,
                                timestampUs % US_PER_SECOND)));
        append(lines, total());
        parts.forEach(part -> append(lines, part));
        return lines;
    }

    private static void append(List<String> lines, Part part) {
        number(lines, part.name() + " messages sent", part.sentMessages());
        number(lines, part.name() + " bytes sent", part.sentBytes());
        if (part.receives()) {
            number(lines, part.name() + " messages received", part.receivedMessages());
            number(lines, part.name() + " bytes received", part.receivedBytes());
        }
    }

    private static void number(List<String> lines, String label, long value) {
        lines.add(line(label, Long.toUnsignedString(value)));
    }

    private static String line(String label, String value) {
        String start = label + ":";
        return start + " ".repeat(Math.max(1, VALUE_COLUMN - start.length())) + value;
    }

    /**
     * In the text format of Prometheus. The total is left out: a query sums the parts.
     *
     * @return lines, each with its end
     */
    public String prometheus() {
        StringBuilder text = new StringBuilder();
        family(text, "messages_sent", "Messages sent.", false, Part::sentMessages);
        family(text, "sent_bytes", "Bytes sent.", false, Part::sentBytes);
        family(text, "messages_received", "Messages received.", true, Part::receivedMessages);
        family(text, "received_bytes", "Bytes received.", true, Part::receivedBytes);
        family(
                text,
                "unaligned_buffers",
                "Memory of plug-ins that is not aligned to 16 bytes.",
                true,
                Part::unaligned);
        return text.toString();
    }

    private void family(
            StringBuilder text,
            String name,
            String help,
            boolean received,
            ToLongFunction<Part> value) {
        text.append("# HELP zoid_").append(name).append("_total ").append(help).append('\n');
        text.append("# TYPE zoid_").append(name).append("_total counter\n");
        for (Part part : parts) {
            if (part.receives() || !received) {
                text.append("zoid_").append(name).append("_total{kind=\"").append(part.name());
                text.append("\"} ").append(Long.toUnsignedString(value.applyAsLong(part)));
                text.append('\n');
            }
        }
    }
}

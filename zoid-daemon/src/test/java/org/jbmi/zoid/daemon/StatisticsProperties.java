package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Test;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What is printed of the counters. */
class StatisticsProperties {
    private static final Duration WATCHDOG = Duration.ofSeconds(120);
    private static final BigInteger WRAP = BigInteger.ONE.shiftLeft(64);

    /** The sample of the original's documentation, as it was counted and as it was printed. */
    @Test
    void isPrintedLineByLine() {
        Statistics sample =
                new Statistics(
                        1_240_439_085_688_831L,
                        List.of(
                                new Statistics.Part("IP fwd", true, 196, 5889, 84, 6453, 0),
                                new Statistics.Part("Stream", true, 65, 520, 65, 1416, 0),
                                new Statistics.Part("Broadcast", false, 1, 2437906, 0, 0, 0),
                                new Statistics.Part("Internal", true, 193, 39524, 256, 1792, 0),
                                new Statistics.Part("Plugin 5", true, 0, 0, 0, 0, 0),
                                new Statistics.Part(
                                        "Plugin 2", true, 5312, 5135331, 5312, 62914, 0)));
        assertThat(String.join("\n", sample.lines()))
                .isEqualTo(
                        """
                        Timestamp:                      1240439085.688831
                        Total messages sent:            5767
                        Total bytes sent:               7619170
                        Total messages received:        5717
                        Total bytes received:           72575
                        IP fwd messages sent:           196
                        IP fwd bytes sent:              5889
                        IP fwd messages received:       84
                        IP fwd bytes received:          6453
                        Stream messages sent:           65
                        Stream bytes sent:              520
                        Stream messages received:       65
                        Stream bytes received:          1416
                        Broadcast messages sent:        1
                        Broadcast bytes sent:           2437906
                        Internal messages sent:         193
                        Internal bytes sent:            39524
                        Internal messages received:     256
                        Internal bytes received:        1792
                        Plugin 5 messages sent:         0
                        Plugin 5 bytes sent:            0
                        Plugin 5 messages received:     0
                        Plugin 5 bytes received:        0
                        Plugin 2 messages sent:         5312
                        Plugin 2 bytes sent:            5135331
                        Plugin 2 messages received:     5312
                        Plugin 2 bytes received:        62914\
                        """);
    }

    @Property
    void totalIsTheSumOfItsPartsAlsoWhenItWrapsAround(@ForAll List<Long> numbers) {
        assertTimeoutPreemptively(
                WATCHDOG,
                () -> {
                    List<Statistics.Part> parts = new ArrayList<>();
                    for (int i = 0; i + 3 < numbers.size(); i += 4) {
                        parts.add(
                                new Statistics.Part(
                                        "Plugin " + (i + 1),
                                        i % 3 > 0,
                                        numbers.get(i),
                                        numbers.get(i + 1),
                                        i % 3 > 0 ? numbers.get(i + 2) : 0,
                                        i % 3 > 0 ? numbers.get(i + 3) : 0,
                                        0));
                    }
                    List<String> lines = new Statistics(0, parts).lines();
                    for (String label :
                            List.of(
                                    "messages sent",
                                    "bytes sent",
                                    "messages received",
                                    "bytes received")) {
                        BigInteger sum = BigInteger.ZERO;
                        BigInteger total = BigInteger.valueOf(-1);
                        for (String line : lines) {
                            if (line.contains(" " + label + ":")) {
                                BigInteger value = new BigInteger(line.substring(32).strip());
                                assertThat(value).isBetween(BigInteger.ZERO, WRAP);
                                if (line.startsWith("Total ")) {
                                    total = value;
                                } else {
                                    sum = sum.add(value);
                                }
                            }
                        }
                        assertThat(total).isEqualTo(sum.mod(WRAP));
                    }
                });
    }

    @Test
    void countersWrapAround() {
        Category category = new Category("Plugin 1", true);
        category.sent(Long.MAX_VALUE);
        category.sent(Long.MAX_VALUE);
        category.sent(3);
        Statistics.Part part = category.part();
        assertThat(part.sentBytes()).isOne(); // 2^64 - 2 + 3
        assertThat(part.sentMessages()).isEqualTo(3);
    }

    @Test
    void prometheusHasEachPartOnce() {
        Statistics some =
                new Statistics(
                        0,
                        List.of(
                                new Statistics.Part("Broadcast", false, 1, 2, 0, 0, 0),
                                new Statistics.Part("Plugin 2", true, -1, 4, 5, 6, 0)));
        assertThat(some.prometheus().lines())
                .contains(
                        "# TYPE zoid_messages_sent_total counter",
                        "zoid_messages_sent_total{kind=\"Broadcast\"} 1",
                        "zoid_messages_sent_total{kind=\"Plugin 2\"} 18446744073709551615",
                        "zoid_received_bytes_total{kind=\"Plugin 2\"} 6")
                .noneMatch(line -> line.startsWith("zoid_received_bytes_total{kind=\"Broadcast\""));
    }
}

package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoid.daemon.Statistics;
import org.jbmi.zoid.daemon.ZoidAdmin;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.plugins.barrier.BarrierClient;
import org.jbmi.zoid.plugins.mapping.Mapping.MappingPlace;
import org.jbmi.zoid.plugins.mapping.MappingClient;
import org.jbmi.zoid.plugins.test.TestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The counters of a server while calls of several plug-ins run. */
@Timeout(60)
class StatisticsTest {
    private static final List<String> SUMS =
            List.of("messages sent", "bytes sent", "messages received", "bytes received");
    private static final int CALLS = 300;
    private static final int CLIENTS = 3;

    @Test
    void totalIsTheSumOfItsPartsWhileCallsRunAndNothingIsLost() throws Exception {
        try (Server server = Server.of("loopback");
                ZoidAdmin admin = ZoidAdmin.of(server.clientBmi(), server.address());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Zoid zoid = server.client();
                running.add(threads.submit(() -> load(zoid)));
            }
            List<Statistics> seen = new ArrayList<>();
            do {
                seen.add(admin.statistics());
            } while (running.stream().anyMatch(each -> !each.isDone()));
            for (Future<?> each : running) {
                each.get(1, TimeUnit.SECONDS);
            }
            seen.add(admin.statistics());
            assertThat(seen.size()).isGreaterThan(1);
            seen.forEach(StatisticsTest::checkSums);
            for (int i = 1; i < seen.size(); i++) {
                assertThat(number(seen.get(i), "Total bytes sent"))
                        .isGreaterThanOrEqualTo(number(seen.get(i - 1), "Total bytes sent"));
            }
            Statistics last = seen.getLast();
            long calls = (long) CALLS * CLIENTS;
            for (int plugin : new int[] {4, 5, 6}) {
                String start = "Plugin " + plugin;
                assertThat(number(last, start + " messages received")).isEqualTo(calls);
                assertThat(number(last, start + " messages sent")).isEqualTo(calls);
            }
        }
    }

    private static void load(Zoid zoid) {
        TestClient test = new TestClient(zoid);
        for (int i = 0; i < CALLS; i++) {
            assertThat(test.add(i, 1)).isEqualTo(i + 1);
            assertThat(new MappingClient(zoid).rankOf(new MappingPlace(9, 0, 0, 0))).isNegative();
            assertThat(new BarrierClient(zoid).wait_()).isEqualTo(-3);
        }
    }

    private static void checkSums(Statistics statistics) {
        List<String> lines = statistics.lines();
        for (String sum : SUMS) {
            long parts = 0;
            for (String line : lines) {
                boolean counts = line.contains(" " + sum + ":") && !line.startsWith("Total");
                parts += counts ? value(line) : 0;
            }
            assertThat(number(statistics, "Total " + sum)).isEqualTo(parts);
        }
    }

    private static long number(Statistics statistics, String label) {
        Stream<String> lines = statistics.lines().stream();
        return value(lines.filter(line -> line.startsWith(label + ":")).findFirst().orElseThrow());
    }

    private static long value(String line) {
        return Long.parseUnsignedLong(line.substring(32));
    }
}

package org.jbmi.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

@Timeout(240)
class LoopbackDemoTest extends DemoTestSupport {
    @ParameterizedTest
    @CsvSource({"1,4", "3000000,16"})
    void shipsAFile(int size, int clients) throws Exception {
        ProgramRun run =
                demo(
                        file(size).toString(),
                        "--through",
                        "loopback",
                        "--clients",
                        Integer.toString(clients),
                        "--json");
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(run.out()).hasSize(1);
        assertThat(lastLine(run)).matches(json(true, clients, size));
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "6 seconds")
    @CsvSource({"0,4", "1,1", "1048576,3"})
    void shipsAFileOfAnotherSize(int size, int clients) throws Exception {
        shipsAFile(size, clients);
    }

    @Test
    void printsATableWithARowForEachClient() throws Exception {
        ProgramRun run =
                demo(file(5_000_000).toString(), "--through=loopback", "--clients=2", "--bytes=3m");
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out().getFirst()).contains("Shipping 3.0 MiB of").contains("2 clients");
        assertThat(run.out()).anyMatch(line -> line.matches("client +bytes +write s .* SHA-256"));
        assertThat(run.out()).filteredOn(l -> l.matches(" +[12]  3145728 .* equal")).hasSize(2);
        assertThat(lastLine(run)).endsWith("every SHA-256 is equal.");
    }

    @Test
    void shipsTheWholeFileIfMoreIsAskedFor() throws Exception {
        ProgramRun run = demo(file(100).toString(), "--through=loopback", "--bytes=1000", "--json");
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(lastLine(run)).contains("\"bytes\":100,");
    }

    @Test
    void aFileThatMayNotBeReadIsASentence() throws Exception {
        Path secret = file(10);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("-wx------"));
        Assumptions.assumeFalse(Files.isReadable(secret), "this user may read everything");
        ProgramRun run = demo(secret.toString(), "--through=loopback");
        assertThat(run.awaitEnd()).isEqualTo(1);
        assertThat(run.err()).hasSize(1);
    }

    @Test
    void endsCleanlyOnSigterm() throws Exception {
        ProgramRun run = demoOfLargeFile("--through=loopback", "--clients=1");
        run.awaitLine(line -> line.startsWith("client 1: writing, "));
        run.process().toHandle().destroy();
        assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(143);
        assertThat(run.err()).isEmpty();
    }
}

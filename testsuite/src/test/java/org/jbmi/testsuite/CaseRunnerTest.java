package org.jbmi.testsuite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.testsuite.model.Stage;
import org.jbmi.testsuite.process.PeerMain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.Closeable;
import java.io.IOError;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/** The kit itself: what passes, fails, hangs, leaks, is skipped or excluded. */
@Timeout(60)
class CaseRunnerTest {
    private static final long PATIENCE_NS = 100_000_000;

    private final BareFixture fixture = new BareFixture();

    @Test
    void passesWhatPasses() {
        assertThat(run(scene -> scene.buffer(10)).outcome()).isEqualTo(CaseResult.Outcome.PASSED);
    }

    @Test
    void reportsAFailureWithItsSeed() {
        CaseResult result = run(scene -> Expect.equal(1, 2, "the number"));
        assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
        assertThat(result.reason()).contains("the number is 1, not 2").contains("[seed ");
        assertThat(result.failure()).isInstanceOf(ConformanceFailure.class);
    }

    @Test
    void takesASeedBack() {
        String before = System.setProperty("jbmi.seed", "-17");
        try {
            CaseResult result = run(scene -> Expect.equal(scene.seed(), 0, "the seed"));
            assertThat(result.reason()).contains("the seed is -17").endsWith("[seed -17]");
        } finally {
            if (before == null) {
                System.clearProperty("jbmi.seed");
            } else {
                System.setProperty("jbmi.seed", before);
            }
        }
    }

    @Test
    void reportsAnException() {
        CaseResult result =
                run(
                        scene -> {
                            throw new IllegalStateException("broken");
                        });
        assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
        assertThat(result.reason()).contains("broken");
    }

    @Test
    void failsForEveryErrorAndClosesTheEnvironment() {
        for (Error error :
                List.of(
                        new OutOfMemoryError("of the case"),
                        new StackOverflowError("of the case"),
                        new IOError(new IOException("of the case")))) {
            fixture.closed = false;
            CaseResult result =
                    run(
                            scene -> {
                                scene.environment();
                                throw error;
                            });
            assertThat(result.failure()).isSameAs(error);
            assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
            assertThat(fixture.closed).as("closed after " + error).isTrue();
        }
    }

    @Test
    void failsForAnErrorOfTheEnvironmentsClose() {
        fixture.closeError = new StackOverflowError("of the close");
        CaseResult result = run(Scene::environment);
        assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
        assertThat(result.reason()).contains("of the close");
        result =
                run(
                        scene -> {
                            scene.environment();
                            throw new IllegalStateException("broken");
                        });
        assertThat(result.reason()).contains("broken");
    }

    @Test
    void skipsWhatTheMethodCannot() {
        ConformanceCase one =
                new ConformanceCase(7, 'F', "x", Set.of(Capability.PORT), 5, scene -> {});
        CaseResult result = new CaseRunner(fixture, Exclusions.none()).run(one);
        assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.SKIPPED);
        assertThat(result.reason()).contains("PORT");
    }

    @Test
    void excludesByFileOnly() {
        Exclusions exclusions = Exclusions.parse("# why\n\n 7   cannot be done here\n");
        CaseResult result =
                new CaseRunner(fixture, exclusions)
                        .run(
                                new ConformanceCase(
                                        7, 'F', "x", Set.of(), 5, scene -> Expect.that(false, "")));
        assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.EXCLUDED);
        assertThat(result.reason()).isEqualTo("cannot be done here");
    }

    @Test
    void refusesExclusionsWithoutAReason() {
        for (String text : List.of("7", "7 ", "x because", "7 a\n7 b", "9999 because")) {
            assertThatThrownBy(() -> Exclusions.parse(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void choosesOnlyCasesThatExist() {
        assertThat(Catalogue.chosen(""))
                .extracting(ConformanceCase::id)
                .containsExactlyElementsOf(
                        Catalogue.all().stream().map(ConformanceCase::id).toList());
        assertThat(Catalogue.chosen("63, 62 "))
                .extracting(ConformanceCase::id)
                .containsExactly(62, 63);
        for (String text : List.of("9999", "62,9999", "62,", "x", " ")) {
            assertThatThrownBy(() -> Catalogue.chosen(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("case");
        }
    }

    @Test
    void endsWhatHangsAndShowsAllThreads() {
        CountDownLatch never = new CountDownLatch(1);
        ConformanceCase.Body body =
                scene -> Thread.ofVirtual().name("a-virtual-one").start(() -> await(never)).join();
        ConformanceCase hanging = new ConformanceCase(9, 'F', "hangs", Set.of(), 1, body);
        CaseResult result = new CaseRunner(fixture, Exclusions.none()).run(hanging);
        assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
        assertThat(result.reason())
                .contains("hangs after 1 s")
                .contains("case-9")
                .contains("a-virtual-one")
                .contains("await");
        never.countDown();
    }

    @Test
    void findsAThreadThatWasLeftBehind() {
        for (Thread.Builder kind : List.of(Thread.ofPlatform().daemon(), Thread.ofVirtual())) {
            CountDownLatch end = new CountDownLatch(1);
            try {
                CaseResult result =
                        runWithLittlePatience(
                                scene -> kind.name("left-behind").start(() -> await(end)));
                assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
                assertThat(result.reason()).contains("left-behind");
            } finally {
                end.countDown();
            }
        }
    }

    /** With the first virtual thread that waits for a channel it opens selectors of its own. */
    @Test
    void whatTheVirtualMachineKeepsIsNotLeftBehind() {
        CaseResult result =
                run(
                        scene -> {
                            try (Selector selector = Selector.open()) {
                                FutureTask<Integer> wait =
                                        new FutureTask<>(() -> selector.select(1));
                                Thread.startVirtualThread(wait);
                                wait.get();
                            }
                        });
        assertThat(result.outcome()).as(result.reason()).isEqualTo(CaseResult.Outcome.PASSED);
    }

    @Test
    void findsADescriptorThatWasLeftBehind(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("left-behind");
        Map<String, Callable<Closeable>> kinds =
                Map.of(
                        "anon_inode:[eventpoll]",
                        Selector::open,
                        "socket:",
                        ServerSocketChannel::open,
                        file + " (deleted)",
                        () -> openAndDelete(file));
        for (Map.Entry<String, Callable<Closeable>> kind : kinds.entrySet()) {
            List<Closeable> left = new ArrayList<>();
            CaseResult result = runWithLittlePatience(scene -> left.add(kind.getValue().call()));
            left.getFirst().close();
            assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
            assertThat(result.reason()).contains(kind.getKey());
        }
    }

    private static Closeable openAndDelete(Path file) throws IOException {
        Closeable open = Files.newOutputStream(file);
        Files.delete(file);
        return open;
    }

    @Test
    void whatIsSkippedLeavesNothingEither() {
        CaseResult result = run(scene -> skipped(scene.environment()));
        assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.SKIPPED);
        assertThat(result.reason()).isEqualTo("not on this machine");
        fixture.leftovers = List.of("a file");
        result = run(scene -> skipped(scene.environment()));
        assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
        assertThat(result.reason()).contains("a file");
        CountDownLatch end = new CountDownLatch(1);
        try {
            result =
                    runWithLittlePatience(
                            scene ->
                                    skipped(
                                            Thread.ofVirtual()
                                                    .name("left-behind")
                                                    .start(() -> await(end))));
            assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
            assertThat(result.reason()).contains("left-behind");
        } finally {
            end.countDown();
        }
    }

    private static void skipped(Object made) {
        assertThat(made).isNotNull();
        throw Scene.skip("not on this machine");
    }

    /** On a busy machine some waits are late, but not most. */
    @Test
    void waitsThatAreMostlyLateFail() throws Exception {
        Expect.mostlySoon(turns(0, 9, 0, 0), 5, "the wait");
        for (long[] late : new long[][] {{9}, {9, 9, 9, 9, 9, 9, 9, 9, 9, 0}, {9, 0}}) {
            assertThatThrownBy(() -> Expect.mostlySoon(turns(late), 5, "the wait"))
                    .hasMessageContaining("the wait ends soon more often than late");
        }
    }

    private static Callable<Long> turns(long... tookNs) {
        AtomicInteger next = new AtomicInteger();
        return () -> tookNs[next.getAndIncrement() % tookNs.length];
    }

    @Test
    void findsWhatTheEnvironmentLeaves() {
        fixture.leftovers = List.of("a file");
        CaseResult result = run(scene -> scene.environment());
        assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
        assertThat(result.reason()).contains("a file");
    }

    @Test
    void findsWhatBrokeARule() {
        fixture.faults = List.of("a surplus message");
        CaseResult result = run(scene -> scene.environment());
        assertThat(result.outcome()).isEqualTo(CaseResult.Outcome.FAILED);
        assertThat(result.reason()).contains("a surplus message");
        assertThat(fixture.closed).isTrue();
    }

    @Test
    void aPeerThatDoesNotJoinEnds() {
        Environment environment = fixture.open(EnvironmentSettings.DEFAULT);
        assertThatThrownBy(() -> Peer.start(fixture, environment, 0))
                .hasMessageContaining("there is no fixture bare");
        assertThat(ProcessHandle.current().children())
                .noneMatch(
                        child ->
                                child.info()
                                        .commandLine()
                                        .orElse("")
                                        .contains(PeerMain.class.getName()));
    }

    @Test
    void anInterruptedStartOfAPeerSaysSo() {
        Environment environment = fixture.open(EnvironmentSettings.DEFAULT);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Peer.start(fixture, environment, 0))
                .hasMessage("The case was interrupted.");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aStageThatCannotBeSetClosesItsEnvironment() {
        assertThatThrownBy(() -> new Stage(fixture, EnvironmentSettings.DEFAULT, 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(fixture.closed).isTrue();
    }

    @Test
    void numbersAndGroupsAreSound() {
        assertThat(Catalogue.all()).hasSizeGreaterThan(100);
        for (ConformanceCase one : Catalogue.all()) {
            assertThat(one.displayName()).matches("\\d+ \\S.*");
            assertThat("ABCDEFGHIJKLMNOPQRS").contains(String.valueOf(one.group()));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CaseResult runWithLittlePatience(ConformanceCase.Body body) {
        return new CaseRunner(fixture, Exclusions.none(), false, PATIENCE_NS)
                .run(new ConformanceCase(8, 'F', "x", Set.of(), 20, body));
    }

    private CaseResult run(ConformanceCase.Body body) {
        return new CaseRunner(fixture, Exclusions.none())
                .run(new ConformanceCase(8, 'F', "x", Set.of(), 20, body));
    }
}

package org.jbmi.zbmi.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.place.HostLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

@Timeout(60)
class ZbmiDaemonTest {
    @TempDir Path temporary;

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Only the segments of this process: others come and go meanwhile. */
    private static List<String> segmentNames(Path directory) throws IOException {
        String own = HostLayout.SEGMENT_PREFIX + ProcessHandle.current().pid() + "-";
        return names(directory).stream().filter(name -> name.startsWith(own)).toList();
    }

    private static Set<String> daemonThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("zbmi-"))
                .collect(Collectors.toSet());
    }

    private static ErrorCode codeOf(Throwable thrown) {
        return ((BmiException) thrown).code();
    }

    @Test
    void startsServesAndLeavesNothingBehind() throws IOException {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            assertThat(setup.daemon().isHealthy()).isTrue();
            assertThat(setup.daemon().segmentFile()).exists();
            assertThat(setup.daemon().directory().socket()).exists();
            assertThat(daemonThreads()).containsExactlyInAnyOrder("zbmi-engine", "zbmi-sessions");
        }
        assertThat(names(temporary)).containsExactly("run");
        assertThat(names(temporary.resolve("run"))).containsExactly("daemon.lock");
        assertThat(daemonThreads()).isEmpty();
    }

    @Test
    void startsAgainInTheSameDirectory() {
        for (int i = 0; i < 5; i++) {
            try (DaemonSetup setup = new DaemonSetup(temporary)) {
                assertThat(setup.client().welcome().session()).isEqualTo(1);
            }
        }
    }

    @Test
    void aSecondDaemonIsRefusedInWords() {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            assertThatThrownBy(() -> DaemonSetup.builder(temporary).start())
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
                    .hasMessageContaining("zoid.runtimeDirectory")
                    .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.EBUSY));
            assertThat(setup.client().welcome().session()).isEqualTo(1);
        }
    }

    /** A journal that has begun is in the way of the next start. */
    @Test
    void aGatewayThatCannotListenIsAnErrorBeforeAJournalBegins() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(
                            () ->
                                    DaemonSetup.builder(temporary)
                                            .knob("zbmi.journal", temporary + "/journal")
                                            .knob("zbmi.gatewayHost", "127.0.0.1")
                                            .knob("zbmi.gatewayPort", "" + other.getLocalPort())
                                            .start())
                    .isInstanceOf(BmiException.class)
                    .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.EADDRINUSE));
        }
        assertThat(names(temporary)).containsExactly("run");
        assertThat(names(temporary.resolve("run"))).containsExactly("daemon.lock");
        assertThat(daemonThreads()).isEmpty();
    }

    /** It reports that the pid file cannot be removed, after the segment has gone. */
    @Test
    void aCloseWithoutMemoryForTheLastStepKeepsTheLockAndGoesOnLater() throws IOException {
        Logger logger = Logger.getLogger(HostLock.class.getName());
        Handler failing = new FailsOnce();
        Path gateway = temporary.resolve("gateway");
        ZbmiDaemon daemon =
                DaemonSetup.builder(temporary)
                        .knob("zbmi.gatewaySocket", gateway.toString())
                        .start();
        Path pid = daemon.directory().pid();
        Files.delete(pid);
        Path obstacle = Files.createDirectories(pid.resolve("obstacle"));
        logger.addHandler(failing);
        try {
            assertThatThrownBy(daemon::close).isInstanceOf(OutOfMemoryError.class);
            assertThatThrownBy(() -> DaemonSetup.builder(temporary).start())
                    .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.EBUSY));
            Files.delete(obstacle);
            Files.createFile(gateway);
            daemon.close();
        } finally {
            logger.removeHandler(failing);
        }
        assertThat(names(temporary)).as("another's socket stays").containsExactly("gateway", "run");
        assertThat(names(temporary.resolve("run"))).containsExactly("daemon.lock");
        DaemonSetup.builder(temporary).start().close();
    }

    @Test
    void aSegmentThatDoesNotFitIsRefusedInWordsAndLeavesNothing() throws IOException {
        Path memory = Path.of("/dev/shm");
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.isWritable(memory));
        long free = Files.getFileStore(memory).getTotalSpace();
        long tooLarge = 1L << 36; // and less than the most that a pool can count
        org.junit.jupiter.api.Assumptions.assumeTrue(free > 0 && free < tooLarge);
        List<String> before = segmentNames(memory);
        assertThatThrownBy(
                        () ->
                                DaemonSetup.builder(temporary)
                                        .knob("zbmi.segmentDirectory", memory.toString())
                                        .knob("zbmi.totalBytes", Long.toString(tooLarge))
                                        .start())
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("/dev/shm")
                .hasMessageContaining("zbmi.totalBytes")
                .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.ENOSPC));
        assertThat(segmentNames(memory)).isSubsetOf(before);
        assertThat(names(temporary.resolve("run"))).containsExactly("daemon.lock");
        assertThat(daemonThreads()).isEmpty();
    }

    @Test
    void knobsThatDoNotGoTogetherAreRefused() {
        assertThatThrownBy(
                        () ->
                                DaemonSetup.builder(temporary)
                                        .knob("zbmi.unexpectedBytes", "4m")
                                        .start())
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("zbmi.unexpectedBytes")
                .satisfies(e -> assertThat(codeOf(e)).isEqualTo(ErrorCode.EINVAL));
        assertThatThrownBy(
                        () ->
                                DaemonSetup.builder(temporary)
                                        .knob("zbmi.maxUnexpectedBytes", "2m")
                                        .start())
                .hasMessageContaining("unexpected");
        assertThatThrownBy(
                        () ->
                                DaemonSetup.builder(temporary)
                                        .knob("zbmi.totalBytes", "256g")
                                        .start())
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("zbmi.totalBytes");
        assertThatThrownBy(() -> DaemonSetup.builder(temporary).knob("zbmi.nonsense", "1").start())
                .hasMessageContaining("zbmi.nonsense");
    }

    @Test
    void anIdleDaemonSleeps() throws InterruptedException {
        try (DaemonSetup setup = new DaemonSetup(temporary)) {
            setup.client();
            long before = cpuNs();
            TimeUnit.MILLISECONDS.sleep(1500);
            long spent = cpuNs() - before;
            // Some microseconds ten times a second; a spinning thread would need 1500 ms.
            assertThat(TimeUnit.NANOSECONDS.toMillis(spent)).isLessThan(150);
            assertThat(setup.daemon().isHealthy()).isTrue();
        }
    }

    private static long cpuNs() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("zbmi-"))
                .mapToLong(thread -> Math.max(0, threads.getThreadCpuTime(thread.threadId())))
                .sum();
    }

    @Test
    void sweepsWhatADeadDaemonLeftAndNothingOfALiveOne() throws Exception {
        Path other = Files.createDirectory(temporary.resolve("o"));
        try (DaemonSetup live = new DaemonSetup(other, "zbmi.segmentDirectory", temporary + "")) {
            Process dead = startChild();
            dead.destroyForcibly().waitFor();
            assertThat(names(temporary).stream().filter(name -> name.startsWith("zbmi-")))
                    .hasSize(2);
            assertThat(names(temporary.resolve("run")))
                    .containsExactly(
                            "counters", "daemon.lock", "daemon.pid", "daemon.sock", "errors");
            try (DaemonSetup next = new DaemonSetup(temporary)) {
                assertThat(live.daemon().segmentFile()).exists();
                assertThat(names(temporary).stream().filter(name -> name.startsWith("zbmi-")))
                        .hasSize(2);
                assertThat(next.client().welcome().session()).isEqualTo(1);
                assertThat(live.client().welcome().session()).isEqualTo(1);
            }
        }
        assertThat(names(temporary)).containsExactly("o", "run");
    }

    @Test
    void aDaemonOfAnotherProcessIsNamedToo() throws Exception {
        Process child = startChild();
        try {
            assertThatThrownBy(() -> DaemonSetup.builder(temporary).start())
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining(Long.toString(child.pid()));
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    private Process startChild() throws IOException {
        Process child = ChildJvm.start(DaemonChild.class, List.of(), temporary.toString());
        BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8));
        assertThat(out.readLine()).isEqualTo("ready");
        return child;
    }

    /** A daemon in a process of its own, which ends when its input does. */
    static final class DaemonChild {
        private DaemonChild() {}

        public static void main(String[] arguments) throws IOException {
            try (ZbmiDaemon daemon = DaemonSetup.builder(Path.of(arguments[0])).start()) {
                System.out.println("ready");
                while (daemon.isHealthy() && System.in.read() >= 0) {
                    continue;
                }
            }
        }
    }
}

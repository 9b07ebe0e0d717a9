package org.jbmi.zbmi.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiException;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.ErrorsFile;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A daemon that has too little of something says so and does not break. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class ScarcityTest {
    private static final String LIMITED = "ulimit -n 90; exec \"$@\"";
    private static final String SMALL =
            "mount -t tmpfs -o size=64m tmpfs \"$SMALL\" && exec \"$@\"";

    @TempDir Path temporary;

    /** A daemon whose memory lies in a folder; says "ready", or why not. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws IOException {
            try (ZbmiDaemon daemon =
                    ZbmiDaemon.builder()
                            .knob("zoid.runtimeDirectory", arguments[0])
                            .knob("zbmi.segmentDirectory", arguments[1])
                            .knob("zbmi.totalBytes", arguments[2])
                            .knob("zbmi.maxClients", "200")
                            .start()) {
                System.out.println("ready");
                while (daemon.isHealthy() && System.in.read() >= 0) {
                    continue;
                }
                System.out.println(daemon.isHealthy() ? "ended" : "broken");
            } catch (BmiException e) {
                System.out.println(e.code() + ": " + e.getMessage());
            }
        }
    }

    private RuntimeDirectory runtime() {
        return new RuntimeDirectory(temporary.resolve("run"));
    }

    private Process start(List<String> wrapper, Path segments, String bytes) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(
                ChildJvm.command(
                        Child.class,
                        List.of(),
                        runtime().path().toString(),
                        segments.toString(),
                        bytes));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("SMALL", segments.toString());
        return builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    private static String end(Process child, BufferedReader out) throws Exception {
        child.getOutputStream().close();
        String last = out.readLine();
        assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return last;
    }

    @Test
    void outOfDescriptorsItPausesSaysSoAndGoesOn() throws Exception {
        Process child = start(List.of("sh", "-c", LIMITED, "sh"), temporary, "4m");
        List<SocketChannel> many = new ArrayList<>();
        try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).isEqualTo("ready");
            complainOnce();
            for (int i = 0; i < 100; i++) {
                many.add(SocketChannel.open(UnixDomainSocketAddress.of(runtime().socket())));
            }
            DaemonSetup.await("it says so", () -> errors().contains("could not be taken"));
            assertThat(child.isAlive()).isTrue();
            long before = cpuMs(child);
            TimeUnit.MILLISECONDS.sleep(500);
            assertThat(cpuMs(child) - before).as("ms of processor in 500 ms").isLessThan(300);
            for (SocketChannel channel : many) {
                channel.close();
            }
            DaemonSetup.await("there is room again", this::canAttach);
            assertThat(end(child, out)).isEqualTo("ended");
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    // Its classes come from folders here, which takes descriptors, and not from jars that are open.
    private void complainOnce() throws IOException {
        try (SocketChannel stranger =
                SocketChannel.open(UnixDomainSocketAddress.of(runtime().socket()))) {
            stranger.write(ByteBuffer.wrap(new byte[100]));
            DaemonSetup.await("it complains", () -> errors().contains("protocol"));
        }
    }

    private static long cpuMs(Process process) {
        return process.info().totalCpuDuration().orElseThrow().toMillis();
    }

    private String errors() {
        return ErrorsFile.read(runtime().errors()).toString();
    }

    private boolean canAttach() {
        try (PeerAttachment client =
                PeerAttachment.connect(
                        new AttachRequest(
                                runtime().socket(),
                                PeerRole.CLIENT,
                                "shm",
                                TimeUnit.SECONDS.toNanos(2),
                                new FutexWaiting(),
                                NanoClock.SYSTEM,
                                new ProcessLiveness()))) {
            return client.welcome().session() > 0;
        } catch (BmiException e) {
            return false;
        }
    }

    @Test
    void inAContainersMemoryItRefusesWhatDoesNotFitAndRunsWithWhatDoes() throws Exception {
        List<String> small = List.of("unshare", "-Urm", "sh", "-c", SMALL, "sh");
        Path segments = Files.createDirectory(temporary.resolve("shm"));
        Assumptions.assumeTrue(
                canUnshare(segments), "no name spaces with a file system of one's own here");
        Process tooLarge = start(small, segments, "512m");
        try (BufferedReader out = tooLarge.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine())
                    .startsWith("ENOSPC: ")
                    .contains(segments.toString(), "zbmi.totalBytes", "zbmi.segmentDirectory");
            assertThat(tooLarge.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(tooLarge.exitValue()).isZero();
        } finally {
            tooLarge.destroyForcibly().waitFor();
        }
        Process fits = start(small, segments, "32m");
        try (BufferedReader out = fits.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine()).isEqualTo("ready");
            assertThat(end(fits, out)).isEqualTo("ended");
        } finally {
            fits.destroyForcibly().waitFor();
        }
        assertThat(Files.list(runtime().path())).containsExactly(runtime().lock());
    }

    private static boolean canUnshare(Path segments) throws InterruptedException {
        try {
            ProcessBuilder builder =
                    new ProcessBuilder("unshare", "-Urm", "sh", "-c", SMALL, "sh", "true");
            builder.environment().put("SMALL", segments.toString());
            return builder.start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}

package org.jbmi.tools.zoid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.ZoidMain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A ping, and a datagram, through an interface in a network namespace of its own. */
@Timeout(240)
class ZoidTunTest {
    @TempDir Path folder;

    private final List<ProgramRun> runs = new ArrayList<>();

    private List<String> options() {
        return List.of("-Djbmi.zoid.runtimeDirectory=" + folder.resolve("z"));
    }

    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        for (ProgramRun run : runs.reversed()) {
            run.process().destroy();
            run.process().waitFor(20, TimeUnit.SECONDS);
            run.close();
        }
    }

    private static boolean succeeds(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    private static boolean canMakeInterfaces() throws InterruptedException {
        try {
            return succeeds(
                    "unshare", "-n", "sh", "-c", "ip tuntap add mode tun zoidtest && ip link");
        } catch (IOException e) {
            return false; // one of the programs is not there
        }
    }

    private ProgramRun started(List<String> wrapper, Class<?> main, String... args)
            throws IOException {
        ProgramRun run = ProgramRun.start(wrapper, main, options(), args);
        runs.add(run);
        return run;
    }

    @Test
    void theNodeIsReachedThroughTheInterface() throws Exception {
        assumeTrue(canMakeInterfaces(), "needs root, /dev/net/tun, unshare and ip");
        ProgramRun server = started(List.of(), ZoidMain.class, "serve", "-m", "test");
        server.awaitLine(line -> line.startsWith("plug-ins"));
        ProgramRun tun = started(List.of("unshare", "-n"), ZoidMain.class, "tun");
        String[] words = tun.awaitLine(line -> line.startsWith("ready")).split(" ");
        assertThat(words[1]).isEqualTo("zoid0");
        assertThat(words[3]).isEqualTo("10.0.0.1");
        List<String> inside = List.of("nsenter", "-t", Long.toString(tun.process().pid()), "-n");
        String setUp =
                "ip address add %s peer %s dev zoid0 && ip link set zoid0 up"
                        .formatted(words[2], words[3]);
        List<String> command = new ArrayList<>(inside);
        command.addAll(List.of("sh", "-c", setUp));
        assertThat(succeeds(command.toArray(String[]::new))).isTrue();
        try (DatagramSocket peer =
                new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            ProgramRun ping =
                    started(inside, Ping.class, words[3], Integer.toString(peer.getLocalPort()));
            DatagramPacket came = new DatagramPacket(new byte[100], 100);
            peer.receive(came);
            peer.send(new DatagramPacket(new byte[] {7}, 1, came.getSocketAddress()));
            assertThat(ping.awaitEnd()).as(ping::transcript).isZero();
            assertThat(ping.out()).containsExactly("reachable true", "answer 7");
        }
        ProgramRun stat = started(List.of(), ZoidMain.class, "stat");
        assertThat(stat.awaitEnd()).isZero();
        assertThat(stat.out().get(5)).matches("IP fwd messages sent: +[1-9][0-9]*");
        tun.process().toHandle().destroy();
        assertThat(tun.awaitEnd()).as(tun::transcript).isZero();
    }

    /** Asks for an echo, as root does it, and then a port of the node. */
    static final class Ping {
        private Ping() {}

        public static void main(String[] args) throws IOException {
            InetAddress node = InetAddress.getByName(args[0]);
            System.out.println("reachable " + node.isReachable(30_000));
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.setSoTimeout(30_000);
                socket.send(new DatagramPacket(new byte[1], 1, node, Integer.parseInt(args[1])));
                DatagramPacket answer = new DatagramPacket(new byte[10], 10);
                socket.receive(answer);
                System.out.println("answer " + answer.getData()[0]);
            }
        }
    }
}

package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tcp.TcpBench.RawPeer;
import org.jbmi.tcp.wire.WireMode;
import org.jbmi.testsuite.support.ChildJvm;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A process without descriptors serves those that it has, and others again when it can. */
@Timeout(90)
class FewDescriptorsTest {
    private static final String SHELL = "/bin/sh";
    private static final int FILES = 70;
    private static final int PEERS = 100;

    /** Both at once, since each waits for five seconds before it turns others away. */
    @Test
    void serversSurvive() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of(SHELL)), "there is no " + SHELL);
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            // Without native access the words of the system mean nothing, as in another language.
            List<Future<?>> both = new ArrayList<>();
            for (String option : List.of(ChildJvm.NATIVE_ACCESS, "--illegal-native-access=deny")) {
                both.add(threads.submit(() -> serverSurvives(option)));
            }
            for (Future<?> each : both) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static Void serverSurvives(String nativeAccess) throws Exception {
        List<String> program =
                ChildJvm.command(
                        FewDescriptorsMain.class, List.of("-XX:-MaxFDLimit", nativeAccess));
        program.remove(ChildJvm.NATIVE_ACCESS); // the first of them, if there are two
        List<String> command = new ArrayList<>();
        command.addAll(List.of(SHELL, "-c", "ulimit -n " + FILES + " && exec \"$0\" \"$@\""));
        command.addAll(program);
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        List<RawPeer> peers = new ArrayList<>();
        try (BufferedReader out = process.inputReader();
                Writer in = process.outputWriter();
                ServerSocket target = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            String first = out.readLine();
            assertThat(first).startsWith("port ");
            int port = Integer.parseInt(first.substring("port ".length()));
            RawPeer good = connect(port, 60_000);
            peers.add(good);
            expectAnswer(good, 1);
            for (int i = 0; i < PEERS; i++) {
                RawPeer peer = connect(port, 20_000);
                peers.add(peer);
                peer.message(WireMode.UNEXPECTED, i, 8);
            }
            // Some are answered; the others are turned away rather than left to wait.
            int answered = 0;
            List<RawPeer> served = new ArrayList<>();
            for (int i = 1; i < peers.size(); i++) {
                if (isAnswered(peers.get(i))) {
                    answered++;
                    served.add(peers.get(i));
                }
            }
            assertThat(answered).isBetween(5, FILES);
            expectAnswer(good, 2);
            in.write(target.getLocalPort() + "\n");
            in.flush();
            assertThat(out.readLine()).isEqualTo("dialed BMI_EMFILE");
            for (RawPeer each : served) {
                each.close();
            }
            RawPeer late = connect(port, 60_000);
            peers.add(late);
            expectAnswer(late, 3);
            expectAnswer(good, 4);
            in.write(target.getLocalPort() + "\n");
            in.flush();
            assertThat(out.readLine()).doesNotContain("BMI_E");
        } finally {
            for (RawPeer peer : peers) {
                peer.close();
            }
            process.destroyForcibly();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
        return null;
    }

    private static RawPeer connect(int port, int timeoutMs) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5000);
        RawPeer peer = new RawPeer(socket);
        socket.setSoTimeout(timeoutMs);
        return peer;
    }

    private static void expectAnswer(RawPeer peer, int tag) throws IOException {
        peer.message(WireMode.UNEXPECTED, tag, 8);
        peer.expect(WireMode.EAGER, tag, 0);
    }

    private static boolean isAnswered(RawPeer peer) {
        try {
            return peer.read(25).length == 25;
        } catch (IOException e) {
            assertThat(e).isNotInstanceOf(SocketTimeoutException.class);
            return false;
        }
    }
}

package org.jbmi.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.testsuite.support.ChildJvm;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A client process of another user. It keeps the right to read all files, since it must read its
 * classes; who it is the system says all the same. Making one needs a superuser.
 */
@Timeout(90)
class OtherUserTest {
    private static final int BYTES = 300_000;
    private static final List<String> AS_ANOTHER =
            List.of(
                    "setpriv",
                    "--reuid=65534",
                    "--regid=65534",
                    "--clear-groups",
                    "--inh-caps=+dac_override",
                    "--ambient-caps=+dac_override");

    private final ZoidWorld world = new ZoidWorld();
    private String user;

    @BeforeEach
    void findTheOtherUser() throws Exception {
        List<String> command = new ArrayList<>(AS_ANOTHER);
        command.add("id");
        command.add("-un");
        user = "";
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                            .strip();
            user = process.waitFor() == 0 ? said : "";
        } catch (IOException e) {
            // There is no such command.
        }
        Assumptions.assumeFalse(user.isEmpty(), "this user cannot become another one");
    }

    @AfterEach
    void close() {
        world.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void getsInIfItIsNamed(boolean isNamed) throws Exception {
        Path socket = world.directory().resolve("gw.sock");
        world.daemonKnob("zbmi.gatewaySocket", socket.toString())
                .daemonKnob("zbmi.gatewayUsers", isNamed ? "somebody," + user : "somebody")
                .startDaemon();
        Bmi server = world.server();
        CompletionContext context = server.openContext();
        Process process = start(socket);
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            if (isNamed) {
                serve(server, context);
                assertThat(out.readLine()).isEqualTo("done");
            } else {
                assertThat(out.readLine()).startsWith("EACCES").contains(user);
            }
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static void serve(Bmi server, CompletionContext context) {
        PeerAddress peer = Pair.meet(server);
        MemorySegment block = peer.allocate(BYTES);
        assertThat(context.await(context.postReceive(peer, block, 1), 20_000)).isEqualTo(BYTES);
        assertThat(context.await(context.postSend(peer, block, 2), 20_000)).isEqualTo(BYTES);
        server.free(block);
    }

    private static Process start(Path socket) throws IOException {
        List<String> command = new ArrayList<>(AS_ANOTHER);
        command.add(ChildJvm.java());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(OtherUserTest.class.getName());
        command.add(socket.toString());
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** The client. */
    public static void main(String[] arguments) {
        try (Bmi bmi =
                        Bmi.builder()
                                .knob("zoid.clientLink", "socket")
                                .knob("zoid.serverAddress", arguments[0])
                                .open();
                CompletionContext context = bmi.openContext()) {
            PeerAddress server = bmi.lookup("zoid://");
            MemorySegment hello = MemorySegment.ofArray(new byte[8]);
            context.await(context.postSendUnexpected(server, hello, 9), 20_000);
            MemorySegment sent = MemorySegment.ofArray(new byte[BYTES]).fill((byte) 7);
            MemorySegment back = MemorySegment.ofArray(new byte[BYTES]);
            context.await(context.postSend(server, sent, 1), 20_000);
            context.await(context.postReceive(server, back, 2), 20_000);
            System.out.println(sent.mismatch(back) < 0 ? "done" : "other bytes came back");
        } catch (BmiException e) {
            System.out.println(e.code() + " " + e.getMessage());
        }
    }
}

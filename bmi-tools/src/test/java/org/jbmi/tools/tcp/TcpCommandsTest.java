package org.jbmi.tools.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireHeader;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** The echo, as a user runs it. */
@Timeout(240)
class TcpCommandsTest {
    private static final int LARGEST = 16 << 20;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int bmi(String... args) {
        CommandLine command = Program.of(new BmiMain());
        command.setOut(new PrintWriter(out));
        command.setErr(new PrintWriter(err));
        return command.execute(args);
    }

    @ParameterizedTest
    @ValueSource(strings = {"standalone", "orangefs"})
    void pingsAServer(String dialect) throws Exception {
        ProgramRun server =
                ProgramRun.start(
                        BmiMain.class,
                        List.of(),
                        "serve",
                        "tcp://127.0.0.1:0",
                        "--dialect",
                        dialect);
        try {
            String address = server.awaitLine(line -> line.startsWith("tcp://"));
            assertThat(address).doesNotEndWith(":0");
            String[] to = {"ping", address, "--dialect", dialect, "--count", "3"};
            assertThat(bmi(to)).as(err.toString()).isZero();
            to[1] = address + ",zoid://x";
            assertThat(bmi(to)).as(err.toString()).isZero();
            to[1] = "loopback://x," + address;
            assertThat(bmi(to)).as(err.toString()).isZero();
            to[1] = address;
            assertThat(bmi(with(to, "--bytes", "16384"))).as(err.toString()).isZero();
            assertThat(bmi(with(to, "--bytes", "0"))).as(err.toString()).isZero();
            String[] large = with(to, "--bytes", "3000000", "--expected");
            assertThat(bmi(large)).as(err.toString()).isZero();
            assertThat(bmi(with(to, "--bytes", "16385"))).isEqualTo(2);
            assertThat(out.toString()).contains("3 sent, 3 came back");
        } finally {
            endByASignal(server);
        }
    }

    /** What a C program does that takes the part of the client, and what a careless one does. */
    @ParameterizedTest
    @EnumSource(Dialect.class)
    void servesPlainSockets(Dialect dialect) throws Exception {
        ProgramRun server =
                ProgramRun.start(
                        BmiMain.class,
                        List.of(),
                        "serve",
                        "tcp://127.0.0.1:0",
                        "--dialect",
                        dialect.label());
        try {
            String address = server.awaitLine(line -> line.startsWith("tcp://"));
            assertThat(server.out().getFirst()).isEqualTo(address);
            int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
            boolean classes = dialect.hasClasses();
            int mark = classes ? 0 : 1 << 30;
            try (Socket socket = connect(port)) {
                send(socket, dialect, 2, 7, 0, new byte[] {1, 2, 3});
                assertThat(receive(socket, dialect, 7)).containsExactly(1, 2, 3);
                byte[] large = new byte[100_000];
                new Random(1).nextBytes(large);
                send(socket, dialect, 2, 8 | mark, 1, length(large.length));
                send(socket, dialect, 8, 8 | mark, 0, large);
                assertThat(receive(socket, dialect, 8 | mark)).isEqualTo(large);
                send(socket, dialect, 2, 9 | mark, 1, length(0));
                send(socket, dialect, 4, 9 | mark, 0, new byte[0]);
                assertThat(receive(socket, dialect, 9 | mark)).isEmpty();
                for (long wrong : new long[] {-1, Long.MIN_VALUE, (16 << 20) + 1, 1L << 40}) {
                    send(socket, dialect, 2, 10 | mark, 1, length(wrong));
                    assertThat(receive(socket, dialect, 10 | mark)).isEmpty();
                }
                send(socket, dialect, 2, 11 | mark, 1, new byte[3]);
                assertThat(receive(socket, dialect, 11 | mark)).isEmpty();
            }
            String other = classes ? "orangefs" : "standalone";
            assertThat(bmi("ping", address, "--dialect", other)).isEqualTo(1);
            assertThat(err.toString()).contains("Does the server speak the dialect " + other);
        } finally {
            endByASignal(server);
        }
    }

    @Test
    void peersThatHoldMuchMemoryDoNotEndAServer() throws Exception {
        ProgramRun server =
                ProgramRun.start(BmiMain.class, List.of("-Xmx128m"), "serve", "tcp://127.0.0.1:0");
        try {
            String address = server.awaitLine(line -> line.startsWith("tcp://"));
            int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
            try (Socket greedy = connect(port);
                    Socket other = connect(port)) {
                for (int tag = 0; tag < 15; tag++) {
                    send(greedy, Dialect.STANDALONE, 2, tag, 1, length(LARGEST));
                }
                assertIsDropped(greedy);
                assertEchoes(other);
            }
            try (Socket greedy = connect(port);
                    Socket other = connect(port)) {
                for (int tag = 0; tag < 3; tag++) {
                    send(greedy, Dialect.STANDALONE, 2, tag, 1, length(LARGEST));
                }
                assertEchoes(greedy);
                byte[] large = new byte[LARGEST];
                send(other, Dialect.STANDALONE, 2, 8, 1, length(large.length));
                assertIsDropped(greedy);
                send(other, Dialect.STANDALONE, 8, 8, 0, large);
                assertThat(receive(other, Dialect.STANDALONE, 8)).isEqualTo(large);
                assertEchoes(other);
            }
        } finally {
            endByASignal(server);
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static void assertEchoes(Socket socket) throws IOException {
        send(socket, Dialect.STANDALONE, 2, 7, 0, new byte[] {1, 2, 3});
        assertThat(receive(socket, Dialect.STANDALONE, 7)).containsExactly(1, 2, 3);
    }

    private static void assertIsDropped(Socket socket) throws IOException {
        try {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        } catch (SocketException e) { // reset, since the server has not read everything
            assertThat(e).hasMessageContaining("reset");
        }
    }

    /** One whose end waited for itself would be halted, with status 1. */
    private static void endByASignal(ProgramRun server) throws InterruptedException {
        server.process().toHandle().destroy();
        assertThat(server.awaitEnd()).as(server.transcript()).isEqualTo(143);
    }

    private static byte[] length(long bytes) {
        return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(bytes).array();
    }

    private static void send(
            Socket socket, Dialect dialect, int mode, int tag, int messageClass, byte[] payload)
            throws IOException {
        ByteBuffer out = ByteBuffer.allocate(64 + payload.length).order(ByteOrder.LITTLE_ENDIAN);
        dialect.write(out, mode, tag, 0, payload.length, messageClass);
        out.put(payload);
        socket.getOutputStream().write(out.array(), 0, out.position());
    }

    /** The payload of the next message, which must be an expected one with this tag. */
    private static byte[] receive(Socket socket, Dialect dialect, int tag) throws IOException {
        WireHeader header = new WireHeader();
        byte[] bytes = socket.getInputStream().readNBytes(dialect.headerBytes());
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(dialect.read(in, 0, header)).isTrue();
        assertThat(header.tag).isEqualTo(tag);
        assertThat(header.mode).isEqualTo(header.sizeBytes > 16_384 ? 8 : 4);
        return socket.getInputStream().readNBytes((int) header.sizeBytes);
    }

    @Test
    void theEchoIsOverTcpOnly() {
        assertThat(bmi("serve", "loopback://echo")).isEqualTo(2);
        assertThat(err.toString()).contains("tcp://HOST:PORT, not loopback://echo");
    }

    @Test
    void theLimitOfAMessageIsTold() {
        assertThat(bmi("ping", "--bytes", "20000", "tcp://127.0.0.1:1")).isEqualTo(2);
        assertThat(err.toString()).contains("at most 16384; a longer message needs --expected");
        assertThat(bmi("ping", "--bytes", "2147483647", "--expected", "tcp://127.0.0.1:1"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("at most 16777216.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --class 256 tcp://127.0.0.1:1 | --class is 0 to 255, not 256.
                    --bytes -1 tcp://127.0.0.1:1  | --bytes is 0 or more, not -1.
                    --count 0 tcp://127.0.0.1:1   | --count is 1 or more, not 0.
                    loopback://x                  | tcp://HOST:PORT, not loopback://x
                    loopback://x,zoid://          | tcp://HOST:PORT, not loopback://x,zoid://
                    tcp://127.0.0.1               | : tcp://127.0.0.1 has no port
                    tcp://[::1]:1,tcp://[::1]     | : tcp://[::1] has no port
                    """)
    void whatIsWrongIsNamed(String line, String sentence) {
        assertThat(bmi(("ping " + line).split(" "))).isEqualTo(2);
        assertThat(err.toString()).contains(sentence);
    }

    private static String[] with(String[] args, String... more) {
        String[] all = Arrays.copyOf(args, args.length + more.length);
        System.arraycopy(more, 0, all, args.length, more.length);
        return all;
    }

    @Test
    void nobodyThere() {
        assertThat(bmi("ping", "tcp://127.0.0.1:1")).isEqualTo(1);
        assertThat(err.toString()).contains("failed: ECONNREFUSED.");
    }
}
